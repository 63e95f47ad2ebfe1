/**
 * Files that a program of the host runs automatically, or from which it reads settings to run: when a user enters a
 * folder, opens it in an editor, or uses version control. A name that ends in `/` is a folder with everything in it;
 * the names before the last are the folders that contain a file directly.
 */
const SELF_RUNNING: Readonly<Record<string, readonly string[]>> = {
  'version control': ['.git/', '.hg/', '.jj/', '.sl/', '.bzr/'],
  'hooks of version control': [
    '.husky/',
    '.githooks/',
    '.pre-commit-config.yaml',
    '.pre-commit-config.yml',
    ...['lefthook', '.lefthook', 'lefthook-local', '.lefthook-local'].flatMap((name) =>
      ['yml', 'yaml', 'toml', 'json'].map((end) => `${name}.${end}`),
    ),
    '.overcommit.yml',
  ],
  shells: ['.envrc', '.mise.toml', 'mise.toml', '.mise.local.toml', 'mise.local.toml', '.mise/', '.autoenv', '.autoenv.zsh', '.rvmrc'],
  editors: [
    '.vscode/tasks.json',
    '.vscode/settings.json',
    '.vscode/launch.json',
    '.vscode/mcp.json',
    '.devcontainer/',
    '.devcontainer.json',
    '.idea/',
    '.fleet/',
    '.helix/',
    '.vs/',
    '.lvimrc',
    '.ycm_extra_conf.py',
    '.zed/',
    '.exrc',
    '.vimrc',
    '.nvimrc',
    '.nvim.lua',
    '.dir-locals.el',
    '.dir-locals-2.el',
  ],
  agents: [
    '.reflex/',
    '.mcp.json',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.claude/hooks/',
    '.cursor/hooks/',
    '.opencode/',
    'opencode.json',
    'opencode.jsonc',
    '.aider.conf.yml',
    '.roo/mcp.json',
    '.kiro/settings/mcp.json',
    '.amazonq/mcp.json',
    '.cursor/mcp.json',
    '.cursor/hooks.json',
    '.gemini/settings.json',
    '.codex/config.toml',
  ],
  systems: ['autorun.inf', 'desktop.ini'],
}

/**
 * The endings of files that an editor opens as a project with its own tasks, and of files that give permissions to
 * later runs.
 */
const ENDINGS: readonly string[] = ['.code-workspace', '.sublime-project', '.policy.json', '.policy.jsonc']

interface Rule {
  readonly steps: readonly string[]
  readonly folder: boolean
}

/** The rules by their first name. */
const RULES: ReadonlyMap<string, readonly Rule[]> = Map.groupBy(
  Object.values(SELF_RUNNING).flat().map(ruleOf),
  ({ steps }) => steps[0] ?? '',
)

function ruleOf(text: string): Rule {
  const folder = text.endsWith('/')
  return { steps: (folder ? text.slice(0, -1) : text).split('/'), folder }
}

/** The characters that a file system of Apple ignores in a name: `.g\u200cit` is `.git` there. */
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/**
 * Returns the name under which any system would find a file with this name: without case, invisible characters, a
 * stream (`::$DATA`), and the trailing points and spaces that Windows removes; `git~1` is the short name of `.git`
 * there.
 */
export function foldedName(name: string): string {
  if (/^[\w-][\w-]*(\.[\w-]+)*$/.test(name)) return name.toLowerCase()
  const plain = name.normalize('NFKC').replace(INVISIBLE, '').toLowerCase()
  const [whole = ''] = plain.split(':')
  let end = whole.length
  while (end > 0 && '. '.includes(whole.charAt(end - 1))) end--
  const trimmed = whole.slice(0, end)
  return /^gi[7t][\da-f]*~\d+$/.test(trimmed) ? '.git' : trimmed
}

/** The relation of a path to the table: it runs automatically, or it is the start of a path that does. */
export type TableMatch = 'runs' | 'leads' | undefined

/** Follows the names of a path, one after another, through the table. */
export class NameTrail {
  readonly #open: readonly { readonly rule: Rule; readonly at: number }[]

  constructor(open: readonly { readonly rule: Rule; readonly at: number }[] = []) {
    this.#open = open
  }

  /**
   * True if the table has the whole folder with this name; a file in a folder `.envrc`, for example, does not belong to
   * direnv.
   */
  get isFolder(): boolean {
    return this.#open.some(({ rule, at }) => rule.folder && at === rule.steps.length)
  }

  /** Returns the trail after a further name, and the relation of the new path to the table. */
  step(name: string): { readonly trail: NameTrail; readonly standing: TableMatch } {
    const folded = foldedName(name)
    const started = (RULES.get(folded) ?? []).map((rule) => ({ rule, at: 1 }))
    const further = this.#open.flatMap(({ rule, at }) => (rule.steps[at] === folded ? [{ rule, at: at + 1 }] : []))
    const open = [...started, ...further]
    const runs = open.some(({ rule, at }) => at === rule.steps.length) || ENDINGS.some((end) => folded.endsWith(end))
    return { trail: new NameTrail(open), standing: runs ? 'runs' : open.length > 0 ? 'leads' : undefined }
  }
}

/**
 * True if a file at this path, given as names below a fixed folder, would run automatically on a host or make its
 * folder a git repository. `HEAD` does the latter beside `objects` and `refs`, whatever the name of the folder.
 */
export function runsByItself(names: readonly string[]): boolean {
  let trail = new NameTrail()
  for (const [i, name] of names.entries()) {
    const { trail: next, standing } = trail.step(name)
    const last = i === names.length - 1
    if (standing === 'runs' && (last || next.isFolder)) return true
    if (last && foldedName(name) === 'head') return true
    trail = next
  }
  return false
}

/** True if git treats a folder with these entries as a repository, whatever its name. */
export function isRepository(entries: readonly string[]): boolean {
  const names = new Set(entries.map(foldedName))
  return names.has('head') && (names.has('commondir') || (names.has('objects') && names.has('refs')))
}
