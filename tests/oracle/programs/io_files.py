"""tf.io.gfile, GFile, read_file, write_file, matching_files."""

from __future__ import annotations

import os

from tests.oracle.programs._file_helpers import folder


def prog_exists_and_isdir(tf, np):
    """Of files, directories, nothing, URLs."""
    with folder() as f:
        names = [f("a.txt"), f("d"), f("d/"), f("no"), f("a.txt/z"), "", "file://" + f("d"), f("d").encode()]
        return [[tf.io.gfile.exists(n) for n in names], [tf.io.gfile.isdir(n) for n in names]]


def prog_names_that_are_none(tf, np):
    """A number is no name."""
    with folder() as f:
        g = tf.io.gfile
        return [f.attempt(lambda c=c: c(3)) for c in (g.exists, g.isdir, g.listdir, g.remove, g.mkdir, g.makedirs, g.rmtree)]


def prog_other_schemes(tf, np):
    """File systems that are not there."""
    with folder() as f:
        g = tf.io.gfile
        calls = (g.exists, g.isdir, g.listdir, g.stat, g.remove, g.rmtree, g.mkdir, g.makedirs, g.glob)
        return [f.attempt(lambda c=c: c("nope://b/x")) for c in calls]


def prog_stat(tf, np):
    """Sizes and kinds."""
    with folder() as f:
        s, d = tf.io.gfile.stat(f("a.txt")), tf.io.gfile.stat(f("d"))
        seconds = s.mtime_nsec // 10**9 == int(os.stat(f("a.txt")).st_mtime)
        return [s.length, s.is_directory, d.is_directory, seconds, [f.attempt(lambda n=n: tf.io.gfile.stat(f(n))) for n in ("no", "no/x", "a.txt/z")]]


def prog_listdir(tf, np):
    """Names, or no directory."""
    with folder() as f:
        return [sorted(tf.io.gfile.listdir(f("d"))), sorted(tf.io.gfile.listdir(f("d/"))), [f.attempt(lambda n=n: tf.io.gfile.listdir(f(n))) for n in ("no", "a.txt")]]


def prog_glob(tf, np):
    """Patterns of all kinds."""
    with folder() as f:
        patterns = ["*", "*.txt", "?.txt", "[ab].txt", "[!a].txt", "[^a].txt", "[a-b].txt", "d/*", "d/**", "**/*.txt", "*/*", "*/*/*.txt", "no*", "\\[q\\].txt", "[[]q].txt", "{a,b}.txt", ".*", "d", "d/", "./*.txt", "*.TXT", "a\\", "no", "a.txt", "*/x.txt", "[]q].txt"]
        return [f.hidden(sorted(tf.io.gfile.glob(f(p)))) for p in patterns]


def prog_glob_many(tf, np):
    """Lists of patterns, URLs, relative patterns."""
    with folder() as f:
        g = tf.io.gfile.glob
        here = os.getcwd()
        os.chdir(f.path)
        try:
            relative = [sorted(g(p)) for p in ("*.txt", "d/*", "*/*.txt", "d", "nope")]
        finally:
            os.chdir(here)
        return [f.hidden(g([f("b*"), f("a*")])), f.hidden(g((f("a*"), f("a*")))), f.hidden(g("file://" + f("a*"))), g([]), g(""), relative]


def prog_walk(tf, np):
    """Down, up, from nowhere."""
    with folder() as f:
        def steps(*a):
            return [[f.hidden(t), sorted(d), sorted(n)] for t, d, n in tf.io.gfile.walk(*a)]
        return [steps(f.path), steps(f.path, False), steps(f("no")), steps(f("a.txt")), steps("file://" + f("d")), [[f.hidden(t), d, n] for t, d, n in tf.compat.v1.gfile.Walk(f("d"), False)]]


def prog_walk_pruned(tf, np):
    """The caller takes directories away."""
    with folder() as f:
        seen = []
        for top, directories, _ in tf.io.gfile.walk(f.path):
            seen.append(f.hidden(top))
            directories[:] = [d for d in directories if d != "e"]
        return seen


def prog_join(tf, np):
    """Parts of names."""
    j = tf.io.gfile.join
    return [j("a", "b"), j("a", "/b"), j("/a/", "b/"), j(""), j("", "b"), j("a", "", "b"), j("a"), j("s3://x", "y"), j("s3://x/", "/y"), j("file:///a", "b", "c"), j(b"a", b"b")]


def prog_copy(tf, np):
    """Copies, refusals."""
    with folder() as f:
        c = tf.io.gfile.copy
        first = [f.attempt(lambda: c(f("a.txt"), f("a2"))), f.read("a2"), f.attempt(lambda: c(f("b.txt"), f("a2"))), f.attempt(lambda: c(f("b.txt"), f("a2"), True)), f.read("a2")]
        return [*first, f.attempt(lambda: c(f("no"), f("q"))), f.attempt(lambda: c(f("a.txt"), f("d"))), f.attempt(lambda: c(f("a.txt"), f("d"), overwrite=True)), f.attempt(lambda: c(f("a.txt"), f("n/q")))]


def prog_rename(tf, np):
    """Names change, refusals."""
    with folder() as f:
        r = tf.io.gfile.rename
        first = [f.attempt(lambda: r(f("a.txt"), f("a3"))), f.read("a3"), f.attempt(lambda: r(f("a3"), f("b.txt"))), f.attempt(lambda: r(f("a3"), f("b.txt"), True)), f.read("b.txt")]
        return [*first, f.attempt(lambda: r(f("no"), f("z"))), f.attempt(lambda: r(f("d"), f("dd"))), tf.io.gfile.exists(f("dd/e/y.txt")), f.attempt(lambda: r(f("b.txt"), f("dd"), True))]


def prog_remove_and_rmtree(tf, np):
    """What goes, what cannot."""
    with folder() as f:
        g = tf.io.gfile
        steps = [f.attempt(lambda n=n: g.remove(f(n))) for n in ("a.txt", "a.txt", "d", "b.txt/z")]
        return [*steps, [f.attempt(lambda n=n: g.rmtree(f(n))) for n in ("d", "b.txt", "no")], sorted(g.listdir(f.path))]


def prog_mkdir_and_makedirs(tf, np):
    """Directories, new and old."""
    with folder() as f:
        g = tf.io.gfile
        made = [f.attempt(lambda n=n: g.mkdir(f(n))) for n in ("new", "new", "a.txt", "n/m", "a.txt/z")]
        deep = [f.attempt(lambda n=n: g.makedirs(f(n))) for n in ("n1/n2/n3/", "d", "a.txt", "a.txt/q")]
        return [made, deep, g.isdir(f("new")), g.isdir(f("n1/n2/n3"))]


def prog_gfile_reads(tf, np):
    """Text, bytes, lines, carriage returns."""
    with folder() as f:
        p = f.write("t", "l1\nl2é\r\n\nlast".encode())
        G = tf.io.gfile.GFile
        g = G(p)
        return [G(p).read(), G(p).read(4), G(p, "rb").read(), G(p).read(0), [g.readline() for _ in range(6)], G(p).readlines(), list(G(p)), list(G(p, "rb")), next(G(p))]


def prog_gfile_places(tf, np):
    """seek, tell, size."""
    with folder() as f:
        p = f.write("t", b"0123456789")
        g = tf.io.gfile.GFile(p, "rb")
        out = [g.tell(), g.read(3), g.tell(), g.size(), g.seekable(), f.hidden(g.name), g.mode]
        g.seek(1)
        out.append(g.read(2))
        g.seek(offset=-2, whence=2)
        out.append(g.read())
        g.seek(0)
        g.seek(2, whence=1)
        out.append(g.tell())
        return [*out, f.attempt(lambda: g.seek()), f.attempt(lambda: g.seek(0, 5)), f.attempt(lambda: g.seek(-30)), f.attempt(lambda: g.read(-5))]


def prog_gfile_writes(tf, np):
    """Modes of writing."""
    with folder() as f:
        out = []
        for mode, parts in (("w", ["a", "b"]), ("w", [b"a"]), ("a", ["zz"]), ("wb", ["é", b"\xff"]), ("ab", [b"!"]), ("r+", ["Z"]), ("w+", ["W"]), ("a+", ["V"])):
            with tf.io.gfile.GFile(f("w"), mode) as g:
                for part in parts:
                    g.write(part)
            out.append(f.read("w"))
        return out


def prog_gfile_refuses(tf, np):
    """Modes, places, files."""
    with folder() as f:
        G = tf.io.gfile.GFile
        modes = [f.attempt(lambda m=m: G(f("a.txt"), m)) for m in ("x", "rt", "U", "")]
        calls = [lambda: G(f("a.txt"), "w").read(), lambda: G(f("b.txt")).write("a"), lambda: G(f("no")).read(), lambda: G(f.path).read(), lambda: G(f("n/x"), "w").write("a"), lambda: G(f("w"), "w").write(3), lambda: G(f("no")).size(), lambda: G("nope://a/b").read()]
        return [modes, [f.attempt(call) for call in calls]]


def prog_gfile_life(tf, np):
    """Opened late, closed, opened again, flushed."""
    with folder() as f:
        G = tf.io.gfile.GFile
        G(f("w"), "w").close()
        out = [tf.io.gfile.exists(f("w"))]
        g = G(f("a.txt"))
        out += [g.read(2), g.close(), g.close(), g.read(3)]
        w = G(f("w"), "w")
        w.write("hello")
        out += [w.tell(), w.size()]
        w.flush()
        out += [w.size(), f.read("w")]
        w.close()
        return out


def prog_old_names(tf, np):
    """tf.compat.v1.gfile."""
    with folder() as f:
        v = tf.compat.v1.gfile
        v.MkDir(dirname=f("k"))
        v.MakeDirs(dirname=f("l/m"))
        v.Copy(oldpath=f("a.txt"), newpath=f("k/a"))
        v.Rename(oldname=f("k/a"), newname=f("k/b"), overwrite=True)
        out = [v.Exists(filename=f("k/b")), v.IsDirectory(dirname=f("k")), v.Stat(filename=f("k/b")).length, v.ListDirectory(dirname=f("k")), f.hidden(v.Glob(filename=f("k/*"))), v.Open is v.GFile]
        v.Remove(filename=f("k/b"))
        v.DeleteRecursively(dirname=f("l"))
        return [*out, v.Exists(f("k/b")), v.Exists(f("l")), f.attempt(lambda: v.Copy(f("a.txt"), f("b.txt")))]


def prog_read_file(tf, np):
    """Whole files."""
    with folder() as f:
        r = tf.io.read_file
        return [r(f("a.txt")), r("file://" + f("a.txt")), r(tf.constant(f("d/x.txt"))), [f.attempt(lambda n=n: r(n)) for n in (f("no"), f.path, "nope://a", "", [f("a.txt")])]]


def prog_write_file(tf, np):
    """New and old files, new directories."""
    with folder() as f:
        w = tf.io.write_file
        out = [f.attempt(lambda: w(f("w"), "x")), f.read("w"), f.attempt(lambda: w(f("n/e/w"), b"\xff")), f.read("n/e/w")]
        bad = ((f.path, "x"), (f("a.txt/q"), "x"), ("", "x"), ([f("w")], "x"), (f("w"), ["x"]))
        return [*out, [f.attempt(lambda a=a: w(*a)) for a in bad]]


def prog_files_in_functions(tf, np):
    """Read and written by graphs."""
    with folder() as f:
        @tf.function
        def g(text):
            tf.io.write_file(f("w"), text)
            with tf.control_dependencies([tf.constant(0)]):
                return tf.io.matching_files(f("?.txt"))
        return [f.hidden(g("one").numpy().tolist()), f.read("w"), f.hidden(g("two").numpy().tolist()), f.read("w")]


def prog_file_op_shapes(tf, np):
    """Ranks that do not fit, in graphs."""
    with folder() as f:
        vector, matrix = tf.TensorSpec([3], tf.string), tf.TensorSpec([3, 1], tf.string)
        def trace(function, spec):
            return tf.function(lambda x: function(x), autograph=False).get_concrete_function(spec).outputs[0].shape
        calls = [lambda: trace(tf.io.read_file, vector), lambda: trace(lambda x: [tf.io.write_file(x, "a"), x][1], vector), lambda: trace(tf.io.matching_files, matrix)]
        return [trace(tf.io.matching_files, vector), trace(tf.io.read_file, tf.TensorSpec(None, tf.string)), [f.attempt(call) for call in calls]]


def prog_matching_files(tf, np):
    """Sorted names."""
    with folder() as f:
        m = tf.io.matching_files
        found = [m(f("*.txt")), m([f("*.txt"), f("d/*"), f("a*")]), m(f("q*")), m(f("*")), m(f("no/x/*")), m(f("a.txt/*"))]
        return [[f.hidden(x.numpy().tolist()) for x in found], m([]), m(tf.zeros([0], tf.string)), f.attempt(lambda: m([[f("*")]])), f.attempt(lambda: m("nope://x/*"))]


def prog_match_filenames_once(tf, np):
    """Kept names."""
    with folder() as f:
        v = tf.io.match_filenames_once(f("*.txt"))
        os.remove(f("a.txt"))
        with tf.Graph().as_default() as g:
            w = tf.io.match_filenames_once(f("*.txt"), name="mine")
            graph = [w.name, w.shape, [o.name for o in g.get_operations()][:3]]
        return [f.hidden(v.numpy().tolist()), v.name, v.trainable, v.shape, graph]
