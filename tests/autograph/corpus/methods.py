"""Methods of all kinds, callable objects, properties, inheritance, operators of user classes."""

from tests.autograph.corpus import case, i32

SIGNS = [(i32(3),), (i32(0),), (i32(-3),)]


class Layer:
    """A small model with methods of all kinds."""

    scale = 3

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        if x > 0:
            return self.forward(x)
        return x

    def forward(self, x):
        return x * self.weight + self.shift(x)

    def shift(self, x):
        if x > 2:
            return self.scale
        return 0

    @staticmethod
    def twice(x):
        if x > 0:
            return x * 2
        return x

    @classmethod
    def scaled(cls, x):
        if x > 0:
            return x * cls.scale
        return x - cls.scale

    @property
    def doubled_weight(self):
        return self.weight * 2


class Deeper(Layer):
    """Overrides and extends."""

    scale = 5

    def shift(self, x):
        base = super().shift(x)
        if x > 1:
            return base + 100
        return base


@case(SIGNS)
def method_call(x):
    return Layer(7).forward(x)


@case(SIGNS)
def callable_object(x):
    layer = Layer(7)
    return layer(x)


@case(SIGNS)
def static_and_class_methods(x):
    return Layer.twice(x), Layer.scaled(x), Deeper.scaled(x)


@case(SIGNS)
def inherited_method_with_super(x):
    return Deeper(2)(x)


@case(SIGNS)
def property_read(x):
    layer = Layer(x)
    if layer.doubled_weight > 2:
        return layer.doubled_weight
    return layer.weight


@case(SIGNS)
def bound_method_as_a_value(x):
    forward = Layer(4).forward
    return forward(x) + forward(x + 1)


@case(SIGNS)
def method_of_the_class_called_unbound(x):
    return Layer.forward(Layer(4), x)


@case(SIGNS)
def class_defined_inside(x):
    class Local:
        def __init__(self, v):
            self.v = v

        def sign(self):
            if self.v > 0:
                return 1
            return -1

    return Local(x).sign()


@case([(i32(3),), (i32(-3),)])
def operators_of_a_user_class(x):
    class Vector:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __add__(self, other):
            return Vector(self.a + other.a, self.b + other.b)

        def __getitem__(self, k):
            return self.a if k == 0 else self.b

        def __len__(self):
            return 2

    v = Vector(x, 1) + Vector(2, x)
    if v[0] > 0:
        return v[1] + len(v)
    return v[0]
