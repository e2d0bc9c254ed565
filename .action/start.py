"""Start without an installation: the action from its checkout, or the single file that ``bundle.py`` makes.

Any Python must be able to read this file, so that one that is too old is told so.
"""

import os
import sys

if sys.version_info < (3, 11):  # noqa: UP036 -- see above
    sys.exit("ci-classify needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031

_HERE = os.path.dirname(os.path.abspath(__file__))
if os.path.isdir(_HERE):
    sys.path += [os.path.dirname(_HERE), os.path.join(_HERE, "libraries")]
else:  # the single file is on the path already, and holds everything
    from zipimport import zipimporter

    class _Importer(zipimporter):
        def get_filename(self, fullname: str) -> str:
            """Return the name without compiling the module for it: it is compiled once more to be run."""
            inside = "/__init__.py" if self.is_package(fullname) else ".py"
            return os.path.join(self.archive, self.prefix, fullname.rpartition(".")[2] + inside)

    sys.path_hooks.insert(0, _Importer)

from ci_classify.__main__ import main  # noqa: E402 -- not before the path is set

main()
