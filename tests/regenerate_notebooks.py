"""Runs the notebooks and writes their outputs anew: ``python -m tests.regenerate_notebooks``. Look at what changes.

A name or several (``02``) run only these. What stands in the cells is left as it is, so that notebooks are edited in
Jupyter or anywhere else; everything that would differ from run to run is left out, or is an error.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from traitlets import default

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "notebooks"
NOTEBOOKS: Final = sorted(FOLDER.glob("*.ipynb"))

#: What a notebook says about itself. Jupyter puts in what its kernel says, as soon as a notebook is opened: a notebook
#: that says less is marked as changed, and is written with the next save. With a Python of another version that version
#: is all that changes.
METADATA: Final[dict[str, dict[str, Any]]] = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": "3.11.7",
    },
}


class OwnKernel(AsyncKernelManager):
    """Runs the Python that runs this, whatever kernels are installed for the user."""

    @default("kernel_spec_manager")
    def _specs(self) -> KernelSpecManager:
        return KernelSpecManager(kernel_dirs=[])


class UnfitNotebook(Exception):
    """A notebook whose outputs cannot be saved: a warning, or something that is different in every run."""


@contextmanager
def tree(folder: Path) -> Iterator[Path]:
    """A place to run notebooks: a folder for them beside the samples, in which nothing has been made before.

    Args:
        folder: an empty folder of the caller's.

    Yields:
        The folder in which notebooks run; all that run there share what they make beside it.
    """
    shutil.copytree(ROOT / "sample_logs", folder / "sample_logs")
    place = folder / "notebooks"
    place.mkdir()
    # Nothing of the settings and the history of whoever runs this; the package is that of this tree.
    own = {
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", "")))),
    }
    # matplotlib may have to make a list of fonts, and says so when that takes long.
    import matplotlib.font_manager  # noqa: F401

    with mock.patch.dict(os.environ, own):
        yield place


def source(path: Path) -> Any:
    """A notebook as it is saved."""
    return nbformat.read(path, as_version=4)


def executed(path: Path, place: Path) -> Any:
    """A notebook with the outputs that it has now.

    Args:
        path: the notebook.
        place: the folder in which it runs, as :func:`tree` makes it.

    Raises:
        CellExecutionError: if a cell ends with an error.
        UnfitNotebook: if a cell warns, or shows an address in memory or a place of this machine, or if the kernel says
            something else of itself than the notebook does.
    """
    notebook = source(path)
    run(notebook, place)
    must_be_what_jupyter_writes(notebook.metadata["language_info"], path.name)
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        for output in cell.get("outputs", ()):
            must_be_lasting(output, path.name, cell.id, place)
    return notebook


def run(notebook: Any, place: Path) -> None:
    """Runs all cells of a notebook in a folder.

    Raises:
        CellExecutionError: if a cell ends with an error.
    """
    client = NotebookClient(
        notebook,
        kernel_manager_class=OwnKernel,
        extra_arguments=["--log-level=ERROR"],
        timeout=120,
        record_timing=False,
        coalesce_streams=True,  # how prints are cut into pieces depends on time
        resources={"metadata": {"path": str(place)}},
    )
    client.execute()


def must_be_lasting(output: Mapping[str, Any], name: str, cell: str, place: Path) -> None:
    """Raises UnfitNotebook if an output of a cell, or of a notebook that runs in a folder, must not be saved."""
    if output["output_type"] == "stream" and output["name"] == "stderr":
        raise UnfitNotebook(f"{name}, cell {cell} warns: {output['text']}")
    for text in [output.get("text", ""), *map(str, output.get("data", {}).values())]:
        for wrong in (" at 0x", str(place.parent), str(ROOT)):
            if wrong in text:
                raise UnfitNotebook(f"{name}, cell {cell} shows {wrong!r}, which is another one elsewhere")


def must_be_what_jupyter_writes(told: Mapping[str, Any], name: str) -> None:
    """Raises UnfitNotebook if a kernel tells something else about its language than METADATA, its version aside."""
    saved = METADATA["language_info"]
    if {**told, "version": ""} != {**saved, "version": ""}:
        raise UnfitNotebook(
            f"{name}: Jupyter would put {dict(told)} in the place of {saved} when it opens the notebook"
        )


def text_of(notebook: Any) -> str:
    """What a notebook is in its file."""
    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def main() -> None:
    """Writes the notebooks and says which of them have changed, and how long each took."""
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder, tree(Path(folder)) as place:
        for path in NOTEBOOKS:
            if wanted and not path.name.startswith(tuple(wanted)):
                continue
            start = time.monotonic()
            text = text_of(executed(path, place))
            took = time.monotonic() - start
            changed = text != path.read_text(encoding="utf-8")
            if changed:
                path.write_text(text, encoding="utf-8", newline="\n")
            print(f"{'written' if changed else 'as before'}: {path.relative_to(ROOT)} ({took:.0f} s)")


if __name__ == "__main__":
    main()
