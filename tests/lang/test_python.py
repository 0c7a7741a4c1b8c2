"""What Python extraction says beyond names and lines: constants, types, patches, references, signatures."""

from __future__ import annotations

import pytest

from zerikai_memory.lang.extract import extract, extract_entities
from zerikai_memory.model import CodeEntity, EntityType, ReferenceKind


def only(source: str) -> CodeEntity:
    (entity,) = extract_entities(source, "a.py")[1:]
    return entity


@pytest.mark.parametrize(
    ("source", "kind", "name"),
    [
        ("LIMIT = 3\n", EntityType.CONSTANT, "LIMIT"),
        ("_RATE: float = 0.5\n", EntityType.CONSTANT, "_RATE"),
        ("level: Final = 3\n", EntityType.CONSTANT, "level"),
        ("if DEBUG:\n    PORT = 1\n", EntityType.CONSTANT, "PORT"),
        ("UserId = NewType('UserId', int)\n", EntityType.TYPE, "UserId"),
        ("T = typing.TypeVar('T')\n", EntityType.TYPE, "T"),
        ("Row: TypeAlias = dict[str, int]\n", EntityType.TYPE, "Row"),
        ("Row: 'typing_extensions.TypeAlias' = 'dict[str, int]'\n", EntityType.TYPE, "Row"),
        ("type Pair[K] = tuple[K, K]\n", EntityType.TYPE, "Pair"),
        ("Point = collections.namedtuple('Point', 'x y')\n", EntityType.TYPE, "Point"),
        ("double = lambda x: 2 * x\n", EntityType.FUNCTION, "double"),
        ("Jar.size = lambda self: 3\n", EntityType.METHOD, "size"),
    ],
)
def test_a_name_bound_at_the_top_is_an_entity(source: str, kind: EntityType, name: str) -> None:
    entity = only(source)
    assert (entity.entity_type, entity.name) == (kind, name)
    assert entity.signature


@pytest.mark.parametrize(
    "value",
    [
        "Union[str, 'Style']",
        "t.Callable[[Union[str, 'Text']], None]",
        "dict[str, int]",
        "collections.deque[int]",
        "Row[T][int]",
        "int | None",
        "('Late' | t.Sequence[str] | T)",
        "OtherClass",
        "models.OtherClass",
        "str",
    ],
)
def test_a_camel_case_name_for_a_type_expression_is_a_type(value: str) -> None:
    entity = only(f"if TYPE_CHECKING:\n    StyleType = {value}\n")
    assert (entity.entity_type, entity.name) == (EntityType.TYPE, "StyleType")
    assert entity.signature == f"StyleType = {value}"


@pytest.mark.parametrize(
    "source",
    [
        "App = Flask()\n",
        "Default = Color.Red\n",
        "First = Colors[0]\nLast = Colors[-1]\nSome = Colors[1:2]\nOther = rows['a']\n",
        "Flags = re.I | re.M\nBits = 1 | Two\nSum = Left + Right\n",
        "Title = 'text'\nNothing = None\nOn = True\n",
        "Value = value\nLevel = logging.INFO\nLoad = load().Type\n",
        "style = Union[str, int]\nrow_type = dict[str, int]\n",  # the casing of a variable
        "def f():\n    Local = Union[str, int]\n",
        "class A:\n    Meta = Parent\n    Serializer = rows.Serializer\n",
    ],
)
def test_other_values_of_camel_case_names_are_no_types(source: str) -> None:
    assert EntityType.TYPE not in [entity.entity_type for entity in extract_entities(source, "a.py")]


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    LIMIT = 3\n    key = lambda x: x\n",  # local values
        "logger = get()\nx: int = 3\na = b = None\n",  # plain variables
        "self.key = lambda x: x\n",  # an attribute of an instance
    ],
)
def test_local_and_plain_values_are_no_entities(source: str) -> None:
    assert [e.name for e in extract_entities(source, "a.py")[1:]] in ([], ["f"])


def test_several_names_of_one_statement_are_several_constants() -> None:
    entities = extract_entities("RED, GREEN = 1, 2\n", "a.py")[1:]
    assert [(e.qualified_name, e.signature) for e in entities] == [
        ("RED", "RED, GREEN = 1, 2"),
        ("GREEN", "RED, GREEN = 1, 2"),
    ]


@pytest.mark.parametrize(
    ("source", "signature"),
    [
        ("def f(a, /, b, *, c=1, **d) -> int: pass", "def f(a, /, b, *, c=1, **d) -> int"),
        ("def f(\n    a,  # first\n    b=(1,\n       2),\n): pass", "def f(a, b=(1, 2),)"),
        ("def f(sep='a  b'): pass", "def f(sep='a  b')"),
        ("class A[T](B, metaclass=M): pass", "class A[T](B, metaclass=M)"),
        ("async def g(*a: *Ts): pass", "async def g(*a: *Ts)"),
    ],
)
def test_a_signature_is_one_line_with_every_form_of_parameter(source: str, signature: str) -> None:
    assert only(source).signature == signature


@pytest.mark.parametrize(
    ("literal", "docstring"),
    [
        (r'"""One\n\x41nd \N{EURO SIGN}."""', "One\nAnd €."),
        (r'r"""Raw \n stays."""', r"Raw \n stays."),
        ('"one " "two"', "one two"),
        ('("in brackets")', "in brackets"),
        (
            r'"""Line \
on."""',
            "Line on.",
        ),
        ('b"bytes"', None),
        ('f"format"', None),
        ('""', None),
        ('"a".upper()', None),
    ],
)
def test_a_docstring_is_what_the_compiler_takes_for_one(literal: str, docstring: str | None) -> None:
    assert only(f"def f():\n    {literal}\n").docstring == docstring


SOURCE = """\
import os.path as p
from ..pkg import one as uno, two
from x import *

@cache(1)
class A(Base, Generic[T]):
    def m(self):
        return helper(self.db.get(1))

A.m = patched
setattr(A, "n", patched)
result.value = value
"""


def test_references_have_kind_target_line_and_home() -> None:
    extraction = extract(SOURCE.encode(), "a.py")
    names = {e.id: e.qualified_name for e in extraction.entities}
    found = {(r.kind.value, r.name, r.target_text, r.line, names[r.from_entity or ""]) for r in extraction.references}
    assert found >= {
        ("import", "os.path", "os.path", 1, ""),
        ("import", "one", "..pkg", 2, ""),
        ("import", "two", "..pkg", 2, ""),
        ("import", "*", "x", 3, ""),
        ("decorate", "cache", "cache", 5, "A"),
        ("inherit", "Base", "Base", 6, "A"),
        ("inherit", "Generic", "Generic", 6, "A"),
        ("call", "helper", "helper", 8, "A.m"),
        ("call", "get", "self.db.get", 8, "A.m"),
        ("patch", "m", "A.m = patched", 10, ""),
        ("patch", "n", "A.n = patched", 11, ""),
    }
    assert [r.name for r in extraction.references if r.kind is ReferenceKind.PATCH] == ["m", "n"]


def test_a_class_body_leaves_out_its_members_and_a_function_is_whole() -> None:
    extraction = extract(b"import os\n\nclass A:\n    x = 1\n\n    def m(self):\n        return 2\n", "a.py")
    bodies = {e.qualified_name: extraction.bodies[e.id] for e in extraction.entities}
    assert "import os" in bodies[""]
    assert "class A" not in bodies[""]
    assert "x = 1" in bodies["A"]
    assert "return 2" not in bodies["A"]
    assert "return 2" in bodies["A.m"]


def test_the_module_entity_has_the_docstring_and_all_lines() -> None:
    module = extract_entities('"""About it.\n\nMore.\n"""\nx = 1\n', "pkg/tools.py")[0]
    assert (module.name, module.qualified_name, module.docstring) == ("tools", "", "About it.\n\nMore.")
    assert (module.start_line, module.end_line, module.parent) == (1, 5, None)


def test_a_latin_1_file_with_a_coding_comment_is_read_as_such() -> None:
    source = "# -*- coding: latin-1 -*-\ndef größe():\n    'Maß'\n".encode("latin-1")
    (entity,) = extract(source, "a.py").entities[1:]
    assert (entity.name, entity.docstring) == ("größe", "Maß")


def test_the_value_of_a_constant_is_shortened_in_its_signature_and_whole_in_its_body() -> None:
    source = "NAMES = [\n" + "".join(f"    'name {n}',\n" for n in range(50)) + "]\n"
    for path, text in (("a.py", source), ("a.js", f"const {source};")):
        extraction = extract(text.encode(), path)
        (constant,) = extraction.entities[1:]
        assert len(constant.signature) == 120
        assert constant.signature.endswith("...")
        assert "name 49" in extraction.bodies[constant.id]
