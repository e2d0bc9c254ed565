"""What is known of programs by their names: which run others, which read nothing, which read by rules of their own."""

from ci_classify.derive.found import Dialect

# Programs that run the program behind them, with their options that take a value.
WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": frozenset({"-u", "-g", "-C"}),
    "doas": frozenset({"-u"}),
    "env": frozenset({"-u", "-C"}),
    "time": frozenset({"-f", "-o"}),
    "nice": frozenset({"-n"}),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "exec": frozenset({"-a"}),
    "command": frozenset(),
    "builtin": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "xvfb-run": frozenset({"-s", "-n", "-e"}),
    "xargs": frozenset({"-n", "-P", "-I", "-L", "-d", "-a", "-s"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "catchsegv": frozenset(),
    "npx": frozenset({"-p", "--package", "-c"}),
    "bunx": frozenset(),
    "pipx": frozenset({"--spec", "--python"}),
    "uvx": frozenset({"--from", "--with", "--python"}),
}
RUNNERS = frozenset(
    {"uv", "poetry", "pdm", "pipenv", "rye", "hatch", "conda", "micromamba", "mamba", "pixi", "pipx", "devbox"}
)
RUNNER_VALUES = frozenset(
    {"-n", "--name", "-p", "--python", "--with", "--group", "--extra", "--package", "--directory", "--project", "--env"}
)
SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh", "ash"})
POWERSHELLS = frozenset({"pwsh", "powershell"})
SILENT = frozenset(
    {"echo", "printf", "mkdir", "md", "rm", "rmdir", "touch", "chmod", "chown", "true", "false", ":", "exit", "set"}
    | {"shift", "return", "break", "continue", "kill", "sleep", "wait", "trap", "unset", "ulimit", "umask", "which"}
    | {"type", "hash", "pwd", "read", "tee", "alias", "dirname", "basename", "realpath", "mktemp", "uname", "whoami"}
    | {"write-host", "write-output", "write-error", "new-item", "remove-item", "start-sleep", "out-file", "tr", "seq"}
    | {"out-null", "select-object", "where-object", "foreach-object", "test-connection", "throw", "popd", "pushd"}
)
COPYING = frozenset({"cp", "mv", "install", "ln", "rsync", "copy-item", "move-item"})
WITH_SUBCOMMAND = frozenset(
    {"gh", "az", "aws", "gcloud", "kubectl", "helm", "apt", "apt-get", "apk", "brew", "choco", "dnf", "yum", "pacman"}
    | {"rustup", "systemctl", "ci-classify", "terraform", "pulumi", "uv", "poetry", "pdm", "hatch", "conda", "ruff"}
)
OWN_RULES = frozenset(
    {
        "go",
        "gradle",
        "gradlew",
        "mvn",
        "mvnw",
        "cmake",
        "ctest",
        "meson",
        "ninja",
        "bazel",
        "bazelisk",
        "buck2",
        "dotnet",
    }
    | {"msbuild", "nuget", "swift", "xcodebuild", "tox", "nox", "pre-commit", "prek", "just", "task", "rake", "bundle"}
    | {"gem", "mix", "sbt", "stack", "cabal", "ant", "scons", "waf", "zig", "composer", "flutter", "dart", "invoke"}
    | {"docker-compose", "skaffold", "nix", "nix-build", "earthly", "turbo", "nx", "lerna", "jest", "vitest", "mocha"}
    | {"webpack", "vite", "rollup", "tsc", "eslint", "playwright", "cypress", "mypy", "sphinx-build", "mkdocs"}
)
CONFIGURATION: dict[str, tuple[str, ...]] = {
    "ruff": ("ruff.toml", ".ruff.toml", "pyproject.toml"),
    "mypy": ("mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"),
    "black": ("pyproject.toml",),
    "isort": (".isort.cfg", "pyproject.toml", "setup.cfg"),
    "flake8": (".flake8", "setup.cfg", "tox.ini"),
    "pylint": (".pylintrc", "pylintrc", "pyproject.toml", "setup.cfg"),
    "pyright": ("pyrightconfig.json", "pyproject.toml"),
    "lint-imports": (".importlinter", "setup.cfg", "pyproject.toml"),
    "tox": ("tox.ini", "pyproject.toml", "setup.cfg"),
    "nox": ("noxfile.py",),
    "pre-commit": (".pre-commit-config.yaml",),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "eslint": (
        "eslint.config.js",
        "eslint.config.mjs",
        "eslint.config.ts",
        ".eslintrc.json",
        ".eslintrc.js",
        ".eslintrc.cjs",
    ),
    "prettier": (".prettierrc", ".prettierrc.json", ".prettierrc.yaml", "prettier.config.js", "prettier.config.mjs"),
    "tsc": ("tsconfig.json",),
    "jest": ("jest.config.js", "jest.config.ts", "jest.config.mjs", "package.json"),
    "vitest": ("vitest.config.ts", "vitest.config.js", "vite.config.ts", "vite.config.js"),
    "golangci-lint": (".golangci.yml", ".golangci.yaml"),
    "go": ("go.mod", "go.sum", "go.work"),
    "actionlint": (".github/actionlint.yaml", ".github/actionlint.yml"),
    "zizmor": (".github/zizmor.yml", "zizmor.yml"),
    "yamllint": (".yamllint", ".yamllint.yaml", ".yamllint.yml"),
    "shellcheck": (".shellcheckrc",),
    "cmake": ("CMakeLists.txt", "CMakePresets.json"),
    "bundle": ("Gemfile", "Gemfile.lock"),
    "mvn": ("pom.xml",),
    "mvnw": ("pom.xml",),
    "gradle": ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    "gradlew": ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    "uv": ("pyproject.toml", "uv.lock"),
    "poetry": ("pyproject.toml", "poetry.lock"),
    "pdm": ("pyproject.toml", "pdm.lock"),
    "hatch": ("pyproject.toml",),
}
EVERY_CONFIGURATION = frozenset({"uv", "poetry", "pdm", "go", "bundle", "gradle", "gradlew"})  # all, not the first
OUTPUT = frozenset(
    {"-o", "--output", "--out", "--output-dir", "--out-dir", "--outdir", "--outfile", "--output-file", "--target-dir"}
    | {"--junitxml", "--junit-xml", "--log-file", "--report", "--dest", "--destination", "-d", "-outfile", "-filepath"}
)
FILE_TESTS = frozenset({"-e", "-f", "-d", "-s", "-r", "-x", "-h", "-L"})
DIALECTS: dict[str, Dialect] = {".sh": "bash", ".bash": "bash", ".zsh": "bash", ".ps1": "powershell"}
