import { count, namedArguments, withDefault, path, text, texts } from '../arguments.ts'
import { faults } from '../faults.ts'
import { COMMIT_FORMAT, readCommits } from './log.ts'
import { repositoryNeeds } from './repository.ts'
import { type Git, type GitSettings, openRepository } from './run.ts'
import { counted } from '../paths.ts'
import { defineTool, type Tool } from '../tool.ts'

const MOST_NAMES = 4_000_000
const DEFAULT_LIMIT = 64_000
const MOST = 1_000_000

/** The change of one file in a commit or a comparison. The numbers of lines are null for a binary file. */
type Change = { readonly path: string; readonly from?: string; readonly added: number | null; readonly removed: number | null }

const COMMON_ARGUMENTS = {
  repo: withDefault(path(), '.'),
  paths: withDefault(texts('a list of paths'), []),
  limit: withDefault(count(1, MOST), DEFAULT_LIMIT),
} as const

/**
 * Reads one commit, compared with its first parent: `{hash, subject, body, author, email, date, files, diff,
 * truncated}`.
 */
export function gitShow(settings: GitSettings): Tool {
  return defineTool({
    name: 'git.show',
    description:
      'Reads one commit: its message, its files with lines added and removed, and the difference to its first parent as text. limit: the maximum bytes of the text.',
    leaves: false,
    repeat: 'free',
    input: namedArguments({ ...COMMON_ARGUMENTS, commit: text('a revision') }),
    needs: (args, place) => repositoryNeeds(args.repo, place),
    async run(args, call) {
      const git = openRepository(args.repo, settings, call)
      const hash = await git.commit(args.commit)
      const { text: output } = await git.run(['log', '-z', COMMIT_FORMAT, '--max-count=1', '--no-show-signature', hash, '--'], MOST)
      const [commit] = readCommits(output, false)
      if (commit === undefined) throw faults.make('R4124', `git printed nothing about ${hash}`)
      const parent = await firstParent(git, hash)
      const range = parent === undefined ? ['--root', hash] : [parent, hash]
      return { ...commit, ...(await compare(git, range, args.paths, args.limit)) }
    },
    says: (_args, { hash, subject, files }) => `${hash.slice(0, 7)} ${subject}, ${counted(files.length, 'file')}`,
  })
}

/**
 * Compares two commits: `{from, to, files, diff, truncated}`. It does not compare the working tree: that would run the
 * repository's filters.
 */
export function gitDiff(settings: GitSettings): Tool {
  return defineTool({
    name: 'git.diff',
    description:
      'Compares two commits: the files with lines added and removed, and the difference as text. limit: the maximum bytes of the text.',
    leaves: false,
    repeat: 'free',
    input: namedArguments({ ...COMMON_ARGUMENTS, from: text('a revision'), to: withDefault(text('a revision'), 'HEAD') }),
    needs: (args, place) => repositoryNeeds(args.repo, place),
    async run(args, call) {
      const git = openRepository(args.repo, settings, call)
      const range = [await git.commit(args.from), await git.commit(args.to)]
      return { from: args.from, to: args.to, ...(await compare(git, range, args.paths, args.limit)) }
    },
    says: ({ from, to }, { files }) => `${from}..${to}, ${counted(files.length, 'file')}`,
  })
}

/** Returns the root of a repository and its checked-out state: `{root, branch, head}`; `head` is null without commits. */
export function gitRoot(settings: GitSettings): Tool {
  return defineTool({
    name: 'git.root',
    description: 'Finds the repository of a folder: its root, the branch and the commit that are checked out.',
    leaves: false,
    repeat: 'free',
    input: namedArguments({ repo: withDefault(path(), '.') }),
    needs: (args, place) => repositoryNeeds(args.repo, place),
    async run(args, call) {
      const git = openRepository(args.repo, settings, call)
      return { root: git.repository.root, branch: await git.branch(), head: (await git.find('HEAD')) ?? null }
    },
    says: (_args, { root, branch }) => (branch === null ? root : `${root} at ${branch}`),
  })
}

async function firstParent(git: Git, hash: string): Promise<string | undefined> {
  const { text: output } = await git.run(['rev-list', '--parents', '--max-count=1', hash], 100_000)
  return output.trim().split(' ')[1]
}

/** Compares two trees. It does not use `git diff`, which follows the user's settings. */
async function compare(
  git: Git,
  range: readonly string[],
  paths: readonly string[],
  limit: number,
): Promise<{ files: Change[]; diff: string; truncated: boolean }> {
  const tree = (...options: readonly string[]): readonly string[] => [
    'diff-tree',
    '-r',
    '-M',
    '--no-commit-id',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--ignore-submodules=all',
    ...options,
    ...range,
    '--',
    ...paths,
  ]
  const names = await git.run(tree('--numstat', '-z'), MOST_NAMES)
  const diff = await git.run(tree('-p', '--src-prefix=a/', '--dst-prefix=b/', '-U3'), limit)
  return { files: changes(names.text), diff: diff.text, truncated: names.truncated || diff.truncated }
}

/** Reads `added TAB removed TAB path NUL`; for a renamed file the path is empty, and both names follow. */
function changes(output: string): Change[] {
  const tokens = output.split('\0')
  const found: Change[] = []
  for (let at = 0; at < tokens.length; at++) {
    const [, added, removed, name] = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(tokens[at] ?? '') ?? []
    if (name === undefined) continue
    const lines = { added: lineNumber(added), removed: lineNumber(removed) }
    if (name === '') found.push({ path: tokens[at + 2] ?? '', from: tokens[at + 1] ?? '', ...lines })
    else found.push({ path: name, ...lines })
    if (name === '') at += 2
  }
  return found
}

function lineNumber(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text)
}
