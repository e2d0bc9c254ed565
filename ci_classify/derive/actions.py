"""Actions of the repository.

Sees the whole directory of an action, those of actions inside of it left out, the steps of a composite one with its
inputs put in, and the Dockerfile that one runs by.

Can't see what JavaScript reads beyond the action's directory.
"""

from collections.abc import Iterator

from ci_classify.derive.checkout import join, name_of, parent
from ci_classify.derive.docker import built
from ci_classify.derive.found import Found, LocalAction, Place, Reads
from ci_classify.derive.library import ACTION_FILES, Library
from ci_classify.derive.steps import hashed_in, read_steps
from ci_classify.derive.values import Scope


def expand_action(source: LocalAction, library: Library) -> Iterator[Found]:
    """Return the files of an action of the repository: its directory, those of actions inside of it left out."""
    checkout, directory = library.checkout, source.directory
    found = library.action(directory)
    if found is None:
        return
    path, action = found
    yield Reads(label=path, place=Place(file=path, line=1), paths=(path,), exact=not directory)
    if directory:
        paths = checkout.below(directory)
        inner = [parent(one) + "/" for one in paths if name_of(one) in ACTION_FILES and parent(one) != directory]
        own = tuple(one for one in paths if one != path and not one.startswith(tuple(inner)))
        yield Reads(label=f"{directory}/", place=Place(file=path, line=1), paths=own, exact=False)
    if action.image is not None and not action.image.text.startswith("docker://"):
        place = Place(file=path, line=action.image.position[0])
        yield from built(join(directory, action.image.text), directory or ".", "", place, library)
    scope = Scope(inputs=source.inputs, action=directory)
    in_steps = {text for step in action.steps for text in step.texts}
    yield from hashed_in((text for text in action.texts if text not in in_steps), scope, path, library)
    yield from read_steps(action.steps, scope, path, library, windows=False)
