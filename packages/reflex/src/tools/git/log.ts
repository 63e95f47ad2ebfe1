import { count, flag, namedArguments, withDefault, path, text, texts } from '../arguments.ts'
import { repositoryNeeds } from './repository.ts'
import { counted } from '../paths.ts'
import { type Git, type GitSettings, openRepository } from './run.ts'
import { defineTool, type Tool } from '../tool.ts'

const MOST = 8_000_000
const LONGEST_BODY = 4000

/** A commit as the tools return it. Dates are ISO 8601 with the author's offset. */
export type Commit = {
  readonly hash: string
  readonly subject: string
  readonly body: string
  readonly author: string
  readonly email: string
  readonly date: string
  readonly files?: readonly string[]
}

// A message contains no zero byte, so a field cannot be forged. The empty field at the start marks the start of a
// commit.
const FIELDS = ['', '%H', '%an', '%ae', '%aI', '%s', '%b', ''].join('%x00')

/** The format of `git log` and `git show` that `readCommits` reads. */
export const COMMIT_FORMAT = `--format=tformat:${FIELDS}`

/**
 * Reads commits from one revision (or the root) to another, the newest first: `{since, until, commits, count,
 * truncated}`.
 */
export function gitLog(settings: GitSettings): Tool {
  return defineTool({
    name: 'git.log',
    description:
      'Reads commits: those after `since` (a tag or another revision; null for all) up to `until`. files: true to add the paths that each commit changed. paths: only commits that changed these paths.',
    leaves: false,
    repeat: 'free',
    input: namedArguments({
      repo: withDefault(path(), '.'),
      since: withDefault(text('a revision'), null),
      until: withDefault(text('a revision'), 'HEAD'),
      limit: withDefault(count(1, 10_000), 1000),
      files: withDefault(flag(), false),
      merges: withDefault(flag(), true),
      paths: withDefault(texts('a list of paths'), []),
    }),
    needs: (args, place) => repositoryNeeds(args.repo, place),
    async run(args, call) {
      const git = openRepository(args.repo, settings, call)
      const until = await git.commit(args.until)
      const since = args.since === null ? undefined : await git.commit(args.since)
      const { commits, truncated } = await log(git, { ...args, until, since })
      return { since: args.since, until: args.until, commits, count: commits.length, truncated }
    },
    says: ({ since, until }, result) =>
      `${since === null ? `all of ${until}` : `${since}..${until}`} → ${counted(result.count, 'commit')}${result.truncated ? ' and more' : ''}`,
  })
}

interface LogQuery {
  readonly since: string | undefined
  readonly until: string
  readonly limit: number
  readonly files: boolean
  readonly merges: boolean
  readonly paths: readonly string[]
}

async function log(git: Git, query: LogQuery): Promise<{ commits: readonly Commit[]; truncated: boolean }> {
  const { text: output, truncated } = await git.run(
    [
      'log',
      '-z',
      COMMIT_FORMAT,
      `--max-count=${query.limit + 1}`,
      '--no-ext-diff',
      '--no-textconv',
      '--no-show-signature',
      '--ignore-submodules=all',
      ...(query.files ? ['--name-only', '--no-renames'] : []),
      ...(query.merges ? [] : ['--no-merges']),
      query.since === undefined ? query.until : `${query.since}..${query.until}`,
      '--',
      ...query.paths,
    ],
    MOST,
  )
  const commits = readCommits(output, query.files)
  return { commits: commits.slice(0, query.limit), truncated: truncated || commits.length > query.limit }
}

/** Reads git's output in `COMMIT_FORMAT`. A commit that was cut at the end is omitted. */
export function readCommits(output: string, files: boolean): Commit[] {
  const tokens = output.split('\0')
  const commits: Commit[] = []
  for (let at = 0; at + 7 < tokens.length; ) {
    const [hash = '', author = '', email = '', date = '', subject = '', body = ''] = tokens.slice(at + 1, at + 7)
    at += 8
    const names: string[] = []
    // The names end at the empty field that starts the next commit.
    for (; at < tokens.length && tokens[at] !== ''; at++)
      names.push(names.length === 0 ? (tokens[at] ?? '').replace(/^\n/, '') : (tokens[at] ?? ''))
    commits.push({ hash, subject, body: shorten(body.trimEnd()), author, email, date, ...(files ? { files: names } : {}) })
  }
  return commits
}

function shorten(body: string): string {
  return body.length > LONGEST_BODY ? `${body.slice(0, LONGEST_BODY - 1)}…` : body
}
