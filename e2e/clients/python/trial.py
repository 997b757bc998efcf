"""What goes wrong in the life of one object, and ways to see it."""

from typing import Any, Callable, Optional

from kubernetes.client import ApiException


class Trial:
    """Notes what is not as it must be."""

    def __init__(self) -> None:
        self.problems: "list[str]" = []

    def note(self, what: str, error: object) -> None:
        text = f"{error.status} {error.body}" if isinstance(error, ApiException) else str(error)
        self.problems.append(f"{what}: {text}".replace("\n", "\n  "))

    def check(self, what: str, holds: bool, otherwise: object) -> bool:
        if not holds:
            self.note(what, otherwise)
        return holds

    def same(self, what: str, got: Any, want: Any) -> bool:
        places = differences("", got, want)
        return self.check(what, not places, "; ".join(places))

    def refused(self, what: str, status: int, act: Callable[[], object]) -> None:
        """The server refuses with this code."""
        try:
            answer = act()
        except ApiException as error:
            self.check(what, error.status == status, f"instead of {status}: {error.status} {error.body}")
            return
        self.note(what, f"instead of {status}: {answer}")


def differences(at: str, got: Any, want: Any) -> "list[str]":
    if isinstance(got, dict) and isinstance(want, dict):
        names = sorted({*got, *want})
        return [place for name in names for place in differences(f"{at}.{name}", got.get(name), want.get(name))]
    if isinstance(got, list) and isinstance(want, list) and len(got) == len(want):
        return [place for i, (a, b) in enumerate(zip(got, want)) for place in differences(f"{at}[{i}]", a, b)]
    return [] if got == want else [f"{at} is {got!r}, not {want!r}"]


def contains(got: Any, want: Any) -> bool:
    """Whether a value is as expected, whatever else its objects have; what is empty may be absent."""
    if isinstance(want, dict):
        return isinstance(got, dict) and all(contains(got.get(name), value) for name, value in want.items())
    if isinstance(want, list) and want:
        return isinstance(got, list) and len(got) == len(want) and all(map(contains, got, want))
    return got == want or (not got and not want and want is not False and want != 0)


def value_at(tree: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(tree, list):
            tree = tree[int(step)] if int(step) < len(tree) else None
        else:
            tree = None if tree is None else tree.get(step)
    return tree


def set_at(tree: Any, path: str, value: Any) -> None:
    *steps, last = path.split(".")
    for step in steps:
        tree = tree[int(step)] if isinstance(tree, list) else tree.setdefault(step, {})
    tree[int(last) if isinstance(tree, list) else last] = value


def row_problem(table: Any, name: str) -> Optional[str]:
    """Why a Table does not show the object: a row with a cell for each column, with its name and its metadata."""
    if table.get("kind") != "Table" or table.get("apiVersion") != "meta.k8s.io/v1":
        return f"it is {table.get('apiVersion')} {table.get('kind')}"
    columns = [column["name"] for column in table["columnDefinitions"]]
    for row in table["rows"]:
        if len(row["cells"]) != len(columns):
            return f"{len(row['cells'])} cells for {columns}"
        if row["object"]["kind"] != "PartialObjectMetadata":
            return f"a row's object is {row['object']}"
        if row["object"]["metadata"]["name"] == name:
            shown = row["cells"][columns.index("Name")]
            return None if shown == name else f"its name is shown as {shown!r}"
    return f"not among {len(table['rows'])} rows"
