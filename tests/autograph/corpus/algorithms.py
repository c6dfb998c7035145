"""Small algorithms that combine branches, loops, early exits and structures, as a user would write them."""

# ruff: noqa: SIM103  (programs as users write them)

from tests.autograph.corpus import case, f32, i32, i64
from tests.autograph.framework import tf


@case([(i32(10),), (i32(2),)])
def counts_primes(limit):
    count = 0
    for n in tf.range(2, limit + 1):
        prime = True
        d = 2
        while d * d <= n:
            if n % d == 0:
                prime = False
                break
            d += 1
        if prime:
            count += 1
    return count


@case([(i32(12),), (i32(28),)])
def sums_divisors(n):
    total = 0
    for d in tf.range(1, n):
        if n % d != 0:
            continue
        total += d
    return total


@case([(i32(20),)])
def fizz_buzz(n):
    fizz, buzz, both, rest = 0, 0, 0, 0
    for i in tf.range(1, n):
        if i % 15 == 0:
            both += 1
        elif i % 3 == 0:
            fizz += 1
        elif i % 5 == 0:
            buzz += 1
        else:
            rest += i
    return fizz, buzz, both, rest


@case(
    [(i32([2, 7, 11, 15]), i32(18)), (i32([2, 7, 11, 15]), i32(5))],
    superset_xla="a range whose limit is known only inside a loop",
)
def two_numbers_with_a_sum(values, wanted):
    left, right = -1, -1
    n = len(values)
    for i in tf.range(n):
        for j in tf.range(i + 1, n):
            if values[i] + values[j] == wanted:
                left, right = i, j
    return left, right


@case([(i32([1, -3, 4, -1, 2, -5]),), (i32([-1, -2]),)])
def largest_subarray_sum(values):
    best = values[0]
    current = 0
    for v in values:
        if current > 0:
            current += v
        else:
            current = v * 1
        if current > best:
            best = current
    return best


@case([(i32([3, 3, 5, 3, 5]),), (i32([1, 2, 2]),)])
def majority_vote(values):
    candidate, votes = values[0], 0
    for v in values:
        if votes == 0:
            candidate = v
            votes = 1
        elif v == candidate:
            votes += 1
        else:
            votes -= 1
    return candidate


@case([(i32([1, 2, 2, 3, 3, 3]),)])
def longest_run(values):
    longest, current = 1, 1
    previous = values[0] - 1
    for v in values:
        if v == previous:
            current += 1
        else:
            current = 1
        if current > longest:
            longest = current
        previous = v
    return longest


@case([(i32([7, 1, 5, 3, 6, 4]),), (i32([7, 6, 4]),)])
def best_profit(prices):
    lowest = prices[0]
    profit = 0
    for price in prices:
        if price < lowest:
            lowest = price
        elif price - lowest > profit:
            profit = price - lowest
    return profit


@case([(i32([1, 2, 3, 4]), i32([2, 4, 5, 6]))])
def counts_common_elements(a, b):
    i, j, count = a[0] * 0, b[0] * 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            count += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return count


@case([(i64(10), i64(3), i64(7)), (i64(2), i64(10), i64(1000))])
def modular_power(base, exponent, modulus):
    result = modulus * 0 + 1
    base = base % modulus
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base % modulus
        exponent = exponent // 2
        base = base * base % modulus
    return result


@case([(f32(0.0), f32(2.0))])
def bisection(low, high):
    while high - low > 0.001:
        middle = (low + high) / 2.0
        if middle * middle > 2.0:
            high = middle
        else:
            low = middle
    return tf.abs(low - 1.41421) < 0.01


@case([(f32(0.3), i32(5)), (f32(2.5), i32(5))])
def logistic_map(r, n):
    x = 0.5
    for _ in tf.range(n):
        x = r * x * (1.0 - x)
        if x > 0.9:
            x = 0.9
    return x


@case([(f32(0.1), f32(0.2)), (f32(1.5), f32(1.5))], superset="Python condition that becomes a tensor")
def mandelbrot_steps(a, b):
    x, y = 0.0, 0.0
    steps = 0
    while x * x + y * y < 4.0 and steps < 12:
        x, y = x * x - y * y + a, 2.0 * x * y + b
        steps += 1
    return steps


@case([(f32([4.0, -2.0]),)])
def gradient_descent(w):
    rate = 0.25
    steps = 0
    while tf.reduce_sum(tf.square(w)) > 0.01:
        w = w - rate * 2.0 * w
        steps += 1
        if steps > 50:
            break
    return w, steps


@case([(f32([0.5, 1.5, -3.0]),)])
def clips_by_norm(x):
    norm = tf.reduce_sum(tf.square(x))
    if norm > 4.0:
        x = x / norm
        clipped = True
    else:
        clipped = False
    return x, clipped


@case([(f32([[1, 2], [3, 4]]), f32([1, 1]))])
def power_iteration(m, v):
    eigenvalue = 0.0
    for _ in tf.range(10):
        w = m @ tf.stack([v], 1)
        v = w[:, 0]
        if v[0] > v[1]:
            eigenvalue = v[0]
        else:
            eigenvalue = v[1]
        v = v / eigenvalue
    return eigenvalue


@case([(f32([1, 2, 3, 4]), f32([2, 4, 6, 8]))])
def linear_regression(x, y):
    w = 0.0
    for _ in tf.range(50):
        error = 0.0
        for i in tf.range(4):
            error += (w * x[i] - y[i]) * x[i]
        w -= 0.01 * error
    return w


@case([(f32([1, 2, 4, 7]), f32(5.0)), (f32([1, 2, 4, 7]), f32(0.5))])
def interpolation_cell(grid, x):
    cell = -1
    for i in tf.range(3):
        if grid[i] <= x < grid[i + 1]:
            cell = i
    return cell


@case([(i32([1, 0, 1, 1]),)])
def binary_to_number(bits):
    value = 0
    for bit in bits:
        value = value * 2 + bit
    return value


@case([(i32(13),), (i32(0),)])
def counts_one_bits(n):
    count = 0
    while n > 0:
        if n % 2 == 1:
            count += 1
        n //= 2
    return count


@case([(i32(12321),), (i32(123),)])
def is_palindrome(n):
    reverse, rest = 0, n
    while rest > 0:
        reverse = reverse * 10 + rest % 10
        rest = rest // 10
    return reverse == n


@case([(i32(153),), (i32(154),)])
def is_armstrong_number(n):
    total, rest = 0, n
    while rest > 0:
        digit = rest % 10
        total += digit * digit * digit
        rest //= 10
    if total == n:
        return True
    return False


@case([(i32(100),)])
def sums_even_fibonacci(limit):
    a, b, total = 1, 2, 0
    while a < limit:
        if a % 2 == 0:
            total += a
        a, b = b, a + b
    return total


@case([(i32(1), i32(5), i32(20)), (i32(0), i32(5), i32(7))])
def simulates_a_bank(opening, deposit, days):
    class Account:
        def __init__(self, balance):
            self.balance = balance
            self.fees = 0

        def deposit(self, amount):
            self.balance = self.balance + amount

    account = Account(opening)
    for day in tf.range(days):
        if day % 5 == 0:
            account.balance = account.balance + deposit
        elif account.balance > 10:
            account.balance = account.balance - 1
            account.fees = account.fees + 1
    return account.balance, account.fees


@case([(i32([2, 1, 3, 0]),)])
def follows_pointers(links):
    where = 0
    steps = 0
    while links[where] != 0 and steps < 10:
        where = links[where]
        steps += 1
    return where, steps


@case([(i32([1, 2, 0, 1, 2, 2]),)])
def histogram_in_a_dict(values):
    counts = {"zero": 0, "one": 0, "more": 0}
    for v in values:
        if v == 0:
            counts["zero"] += 1
        elif v == 1:
            counts["one"] += 1
        else:
            counts["more"] += 1
    return counts


@case([(i32([5, 3, 8, 1]),)])
def two_largest(values):
    first, second = values[0], values[0] - 1000
    for i in tf.range(1, len(values)):
        v = values[i]
        if v > first:
            first, second = v, first
        elif v > second:
            second = v
    return first, second


@case([(i32([[1, 2, 3], [4, 5, 6], [7, 8, 9]]),)])
def sums_below_the_diagonal(m):
    total = 0
    for i in tf.range(3):
        for j in tf.range(3):
            if j >= i:
                break
            total += m[i, j]
    return total


@case([(i32([[0, 1], [1, 1]]),), (i32([[1, 1], [1, 1]]),)])
def finds_a_zero_in_a_grid(grid):
    row, column = -1, -1
    done = False
    for i in tf.range(2):
        for j in tf.range(2):
            if grid[i, j] == 0:
                row, column = i, j
                done = True
                break
        if done:
            break
    return row, column


@case([(i32(4), [(0, 1), (1, 2), (2, 0)])])
def walks_a_python_automaton(n, edges):
    state = 0
    total = 0
    for start, stop in edges:
        if state == start:
            state = stop
            total += n * (start + 1)
    return total


@case([(f32([1, 2, 3]), ["double", "shift", "double"]), (f32([1, 2, 3]), [])])
def interprets_a_python_program(x, program):
    for step in program:
        if step == "double":
            x = x * 2.0
        elif step == "shift":
            if tf.reduce_sum(x) > 10.0:
                x = x - 1.0
            else:
                x = x + 1.0
    return x


@case([(i32(3), 3), (i32(3), 1)])
def towers_of_hanoi(x, disks):
    def moves(k):
        if k == 0:
            return 0
        return 2 * moves(k - 1) + 1

    return x * moves(disks)


@case([(i32(6),), (i32(1),)])
def alternating_states(n):
    up = True
    height = 0
    for i in tf.range(n):
        if up:
            height += i
        else:
            height -= 1
        up = not up
    return height, up


@case([(i32(7), i32(3)), (i32(0), i32(3))])
def division_by_subtraction(a, b):
    quotient = 0
    while a >= b:
        a -= b
        quotient += 1
    if a == 0:
        exact = True
    else:
        exact = False
    return quotient, a, exact


@case([(f32([0.1, 0.7, 0.2]), f32(0.5)), (f32([0.1, 0.7, 0.2]), f32(0.05))])
def picks_by_cumulative_probability(weights, u):
    total = 0.0
    picked = -1
    for i in tf.range(3):
        total += weights[i]
        if u < total and picked < 0:
            picked = i
    return picked
