import { Buffer } from 'node:buffer'
import { isObject, type Json } from '../kernel/index.ts'
import type { Field } from './arguments.ts'

/** Variables that control programs: the code that they load, the servers that they use, the user whom they see. */
const STEERING: readonly RegExp[] = [
  /^(PATH|HOME|IFS|ENV|SHELL|TMPDIR|TEMP|TMP|USER|LOGNAME|CDPATH|FPATH|ZDOTDIR|GLOBIGNORE|POSIXLY_CORRECT|PS[0-9]|PROMPT_COMMAND)$/,
  /^(BASH|ZSH|LD|DYLD|NODE|NPM|PYTHON|PERL|PERL5|RUBY|GEM|BUNDLE|GIT|SSH|XDG|CARGO|RUSTC|JAVA|JDK|MALLOC|OPENSSL|SSL|CURL|DOCKER)(_.*)?$/,
  /^(PYTHON|PERL|RUBY|LD|NPM).*$/,
  /^(SHELLOPTS|BASHOPTS|_JAVA_OPTIONS|CLASSPATH|MAKEFLAGS|MFLAGS|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS)$/,
  /^(EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESSOPEN|LESSCLOSE|TERMINFO|TERMINFO_DIRS|TERMCAP|SYSTEMROOT|PATHEXT|COMSPEC|KUBECONFIG)$/,
  /^(MAKEFILES|TAR_OPTIONS|RSYNC_RSH|CVS_RSH|SVN_SSH|HGRCPATH|HGEDITOR|WGETRC|INPUTRC|LESS|FCEDIT|GNUPGHOME|SUDO_ASKPASS|RIPGREP_CONFIG_PATH)$/,
  /^(VIM|EX|GVIM)INIT$|^(VIM|VIMRUNTIME|MYVIMRC|EMACSLOADPATH|PHPRC|PHP_INI_SCAN_DIR|AWKPATH|AWKLIBPATH|TCLLIBPATH|COMPILER_PATH|GCC_EXEC_PREFIX)$/,
  /^(PGSERVICEFILE|PGPASSFILE|PSQLRC|PSQL_EDITOR|PSQL_PAGER|AWS_CONFIG_FILE|AWS_SHARED_CREDENTIALS_FILE|GOFLAGS|GOROOT|GOPATH|GOTOOLDIR|KSH_ENV)$/,
  /^(MAVEN|GRADLE|GROOVY|SBT)_(OPTS|ARGS)$|^R_(PROFILE|ENVIRON|HOME|LIBS)(_.*)?$|^(LUA_INIT|LUA_PATH|LUA_CPATH)(_.*)?$|^ERL_.*FLAGS$/,
  /^(ANSIBLE|BUN|CGO|CMAKE|COREHOST|DENO|DOTNET|ELECTRON|GTK|JULIA|NIX|PIP|PNPM|QT|SYSTEMD|TF_CLI|UV|YARN)_.*$/,
  /_PROXY$/,
]

/** The most bytes of one value. */
const MOST = 32_768
const MOST_VARIABLES = 256

/** True if a command may get a value under this name: the name is valid and controls no program (reference pipeline 4.5). */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !STEERING.some((pattern) => pattern.test(name.toUpperCase()))
}

/** True if a value is valid and short enough for a variable. */
export function isVariableValue(value: string): boolean {
  return !value.includes('\0') && Buffer.byteLength(value) <= MOST
}

/** Values for a command, by name. */
export function variables(): Field<Readonly<Record<string, string>>> {
  return {
    what: `values by name, at most ${MOST_VARIABLES} of at most ${MOST} bytes; names of letters, digits and underscores, and none that controls programs (PATH, HOME, LD_…, NODE_…, GIT_…)`,
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    read(value) {
      if (!isObject(value)) return undefined
      const entries = Object.entries(value).map(([name, one]): [string, string | undefined] => [name, textOf(one)])
      const fits =
        entries.length <= MOST_VARIABLES &&
        entries.every(([name, one]) => isVariableName(name) && one !== undefined && isVariableValue(one))
      return fits ? Object.fromEntries(entries.map(([name, one]) => [name, one ?? ''])) : undefined
    },
  }
}

function textOf(value: Json): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
