"""Training pairs, step 1: read wheels and npm tarballs, one JSON line per documented entity.

The archives are only read, never installed or run. Each record separates the docstring from the code, so that
(docstring, code) pairs can be formed and the docstring can be left out of the document side.

Record: pkg, path, kind, qual, sig, body, doc, first (first sentence of doc)
"""

import argparse
import inspect
import json
import os
import re
import tarfile
import zipfile

import tree_sitter as ts
import tree_sitter_javascript as tsj
import tree_sitter_python as tsp
import tree_sitter_typescript as tst

PARSERS = {
    "py": ts.Parser(ts.Language(tsp.language())),
    "js": ts.Parser(ts.Language(tsj.language())),
    "ts": ts.Parser(ts.Language(tst.language_typescript())),
}
SKIP = re.compile(
    r"(^|/)(tests?|testing|_vendor|vendored|vendor|examples?|node_modules|benchmarks?)/"
    r"|(^|/)test_|_pb2|\.min\.js$"
)
FUNCTIONS = ("arrow_function", "function_expression", "function", "generator_function")
MAX_BODY = 4000


def first_sentence(doc):
    """First sentence of the first paragraph, without reST roles and backticks."""
    stop = r"\n\s*\n|\n\s*(?:[-=~]{3,}|:param|@|>>>|Parameters|Args:|Returns)"
    para = " ".join(re.split(stop, doc.strip(), maxsplit=1)[0].split())
    m = re.match(r"(.+?[.!?])(\s|$)", para)
    s = m.group(1) if m else para
    return re.sub(r":\w+:`~?\.?([^`]+)`", r"\1", s).replace("`", "").strip()


def text(node, src):
    """Source text of a node."""
    return src[node.start_byte : node.end_byte].decode("utf8", "replace")


def py_doc(body, src):
    """(docstring, byte offset after it) of a Python block."""
    named = [x for x in body.children if x.type != "comment"]
    if named and named[0].type in ("expression_statement", "string"):
        s = named[0].children[0] if named[0].type == "expression_statement" and named[0].children else named[0]
        if s.type == "string":
            raw = re.sub(r'^[rRuUbB]*("""|\'\'\'|"|\')|("""|\'\'\'|"|\')$', "", text(s, src))
            return inspect.cleandoc(raw), named[0].end_byte
    return "", body.start_byte


def member_names(body, src):
    """Names defined directly in a class body or module, as a stand-in for its code."""
    out = []
    for c in body.children:
        d = c.child_by_field_name("definition") or c.child_by_field_name("declaration") or c
        n = d.child_by_field_name("name")
        if n is not None:
            out.append(text(n, src))
    return " ".join(out)[:1200]


def py_walk(node, src, scope, out):
    """Collect functions and classes below a Python node."""
    for c in node.children:
        d = c.child_by_field_name("definition") if c.type == "decorated_definition" else c
        if d.type in ("class_definition", "function_definition"):
            body = d.child_by_field_name("body")
            doc, rest = py_doc(body, src)
            q = [*scope, text(d.child_by_field_name("name"), src)]
            sig = " ".join(src[d.start_byte : body.start_byte].decode("utf8", "replace").split())
            if d.type == "function_definition":
                code = src[rest : body.end_byte].decode("utf8", "replace").strip("\n")[:MAX_BODY]
                out.append({"kind": "function", "qual": ".".join(q), "sig": sig, "body": code, "doc": doc})
            else:
                out.append(
                    {
                        "kind": "class",
                        "qual": ".".join(q),
                        "sig": sig,
                        "body": member_names(body, src),
                        "doc": doc,
                    }
                )
                py_walk(body, src, q, out)
        elif c.type in ("if_statement", "try_statement", "block", "else_clause"):
            py_walk(c, src, scope, out)


def jsdoc(comment, src):
    """Text of a /** */ comment, without its stars."""
    raw = text(comment, src)
    if not raw.startswith("/**"):
        return ""
    lines = [re.sub(r"^\s*\* ?", "", x) for x in raw[3:-2].split("\n")]
    doc = "\n".join(lines).strip()
    m = re.search(r"@(?:classdesc|description)\s+(.+)", doc, re.S)  # documentation that starts with tags
    return m.group(1).strip() if m and doc.startswith("@") else doc


def js_walk(node, src, scope, out, depth=0):
    """Collect functions, methods, object members and classes below a JavaScript or TypeScript node."""
    prev = None
    for c in node.children:
        if c.type == "comment":
            prev = c
            continue
        if c.type in (",", ";"):
            continue
        d, name, fn = c, None, None
        if c.type == "export_statement":
            d = c.child_by_field_name("declaration") or c
        if d.type in ("function_declaration", "method_definition", "generator_function_declaration"):
            fn, name = d, text(d.child_by_field_name("name"), src)
        elif d.type in ("lexical_declaration", "variable_declaration"):
            for v in d.children:
                val = v.child_by_field_name("value") if v.type == "variable_declarator" else None
                if val is not None and val.type in (*FUNCTIONS, "call_expression"):
                    fn, name = d, text(v.child_by_field_name("name"), src)
        elif d.type == "pair":
            val = d.child_by_field_name("value")
            if val is not None and val.type in FUNCTIONS:
                fn, name = d, text(d.child_by_field_name("key"), src)
        elif d.type == "expression_statement" and d.children and d.children[0].type == "assignment_expression":
            val = d.children[0].child_by_field_name("right")
            if val is not None and val.type in FUNCTIONS:
                fn, name = d, text(d.children[0].child_by_field_name("left"), src).split(".")[-1]
        doc = jsdoc(prev, src) if prev is not None else ""
        if fn is not None:
            sig, _, body = text(fn, src).partition("{")
            out.append(
                {
                    "kind": "function",
                    "qual": ".".join([*scope, name]),
                    "sig": " ".join(sig.split())[:300],
                    "body": body[:MAX_BODY],
                    "doc": doc,
                }
            )
        nm, body = d.child_by_field_name("name"), d.child_by_field_name("body")
        if d.type in ("class_declaration", "abstract_class_declaration", "class") and body is not None:
            name = text(nm, src) if nm else ""
            if name:
                sig = src[d.start_byte : body.start_byte].decode("utf8", "replace")
                out.append(
                    {
                        "kind": "class",
                        "qual": ".".join([*scope, name]),
                        "sig": " ".join(sig.split())[:300],
                        "body": member_names(body, src),
                        "doc": doc,
                    }
                )
            js_walk(body, src, [*scope, name], out, depth + 1)
        elif depth < 12 and (fn is None or len(text(fn, src)) > 2000):
            js_walk(d, src, scope, out, depth + 1)
        prev = None


def members(archive):
    """Yield (name, function that reads it) of the files of a wheel or tarball."""
    if archive.endswith(".whl"):
        with zipfile.ZipFile(archive) as z:
            for n in z.namelist():
                yield n, lambda n=n: z.read(n)
    else:
        with tarfile.open(archive) as t:
            for m in t.getmembers():
                if m.isfile():
                    yield m.name, lambda m=m: t.extractfile(m).read()


def records(archive, everything=False):
    """Yield the records of one archive; copies of the same name and body count once."""
    pkg = re.split(r"-\d", os.path.basename(archive))[0]
    seen = set()
    for name, read in members(archive):
        ext = name.rsplit(".", 1)[-1]
        if SKIP.search(name) or ext not in ("py", "js", "mjs", "ts") or name.endswith(".d.ts"):
            continue
        if archive.endswith(".whl") and ext != "py":  # built front-end bundles inside wheels
            continue
        src = read()
        if len(src) > 1_500_000:
            continue
        out = []
        try:
            root = PARSERS["py" if ext == "py" else "ts" if ext == "ts" else "js"].parse(src).root_node
            if ext == "py":
                doc, _ = py_doc(root, src)
                out.append({"kind": "module", "qual": "", "sig": "", "body": member_names(root, src), "doc": doc})
                py_walk(root, src, [], out)
            else:
                js_walk(root, src, [], out)
        except RecursionError:
            continue
        for r in out:
            key = (r["qual"].rsplit(".", 1)[-1], r["body"])
            if key in seen or not (r["doc"] or everything) or (everything and r["kind"] != "function"):
                continue
            seen.add(key)
            r.update(
                pkg=pkg,
                path=re.sub(r"^package/", "", name),
                first=first_sentence(r["doc"]) if r["doc"] else "",
            )
            yield r


def main():
    """Command line; prints the number of records of every archive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="every function, documented or not (held-out corpora)")
    parser.add_argument("target", metavar="OUT.jsonl")
    parser.add_argument("archives", metavar="ARCHIVE", nargs="+", help="wheels and npm tarballs; read, never run")
    options = parser.parse_args()
    with open(options.target, "w", encoding="utf-8") as f:
        for path in options.archives:
            n = 0
            for r in records(path, options.all):
                f.write(json.dumps(r) + "\n")
                n += 1
            print(os.path.basename(path), n, flush=True)


if __name__ == "__main__":
    main()
