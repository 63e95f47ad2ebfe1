/**
 * Files that a program of the host runs, or takes settings to run from, without being asked for them by name: on entering
 * a folder, on opening it in an editor, on the next command of a version control. A name that ends in `/` is a folder with
 * everything in it; the names before the last are the folders that contain a file directly.
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

/** Endings of files that an editor opens as a project with tasks of its own, and of those that give rights to later runs. */
const ENDINGS: readonly string[] = ['.code-workspace', '.sublime-project', '.policy.json', '.policy.jsonc']

interface Rule {
  readonly steps: readonly string[]
  readonly folder: boolean
}

/** Rules by the first name of each. */
const RULES: ReadonlyMap<string, readonly Rule[]> = Map.groupBy(
  Object.values(SELF_RUNNING).flat().map(ruleOf),
  ({ steps }) => steps[0] ?? '',
)

function ruleOf(text: string): Rule {
  const folder = text.endsWith('/')
  return { steps: (folder ? text.slice(0, -1) : text).split('/'), folder }
}

/** Characters that a file system of Apple ignores in a name, so that `.g\u200cit` is `.git` there. */
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/**
 * The name under which some system would find a file of this name: without case, unseen characters, a stream (`::$DATA`),
 * and the points and spaces at the end that Windows drops; `git~1` is the short name of `.git` there.
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

/** The relation of a path to the table: it runs by itself, or is the beginning of a path that does. */
export type TableMatch = 'runs' | 'leads' | undefined

/** Follows the names of a path, one after another, through the table. */
export class NameTrail {
  readonly #open: readonly { readonly rule: Rule; readonly at: number }[]

  constructor(open: readonly { readonly rule: Rule; readonly at: number }[] = []) {
    this.#open = open
  }

  /** The table has the whole folder of this name; a file in a folder `.envrc` does not belong to direnv. */
  get isFolder(): boolean {
    return this.#open.some(({ rule, at }) => rule.folder && at === rule.steps.length)
  }

  /** Returns the trail after a further name, and the relation of the path now. */
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
 * True if a file at this path, given as names below a fixed folder, would run by itself on a host, or make its folder a
 * repository of git. `HEAD` does that beside `objects` and `refs`, for any name of the folder.
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

/** True if git takes a folder with these names for a repository, for any name of the folder. */
export function isRepository(entries: readonly string[]): boolean {
  const names = new Set(entries.map(foldedName))
  return names.has('head') && (names.has('commondir') || (names.has('objects') && names.has('refs')))
}
