import { namedArguments, withDefault, path, text } from '../arguments.ts'
import { faults } from '../faults.ts'
import { repositoryNeeds } from './repository.ts'
import { type Git, type GitSettings, openRepository } from './run.ts'
import { defineTool, type Tool } from '../tool.ts'
import { compareVersions, nextVersions, readVersion, type Version, versionText } from '../version.ts'

const MOST = 4_000_000

/**
 * Finds the last tag that a commit contains: `{tag, version, hash, date, next: {major, minor, patch}}`, the first four
 * null if there is none. Among tags that are versions it is the highest release, else the highest pre-release; if no
 * tag is a version, it is the nearest tag. `next` contains the possible next versions.
 */
export function gitTag(settings: GitSettings): Tool {
  return defineTool({
    name: 'git.tag',
    description:
      'Finds the last tag that a commit contains, preferring the highest version, and the possible next versions. match: only tags of this form, such as v*.',
    leaves: false,
    repeat: 'free',
    input: namedArguments({
      repo: withDefault(path(), '.'),
      at: withDefault(text('a revision'), 'HEAD'),
      match: withDefault(text('a form of tags'), '*'),
    }),
    needs: (args, place) => repositoryNeeds(args.repo, place),
    async run(args, call) {
      const git = openRepository(args.repo, settings, call)
      const commit = await git.commit(args.at)
      const tags = await tagsOf(git, commit, args.match)
      const versions = tags.flatMap((tag) => (tag.version === undefined ? [] : [{ ...tag, version: tag.version }]))
      const releases = versions.filter(({ version }) => version.pre.length === 0)
      const highest = (releases.length > 0 ? releases : versions).toSorted((a, b) => compareVersions(b.version, a.version))[0]
      const last = highest ?? (tags.length === 0 ? undefined : await nearest(git, commit, tags))
      return {
        tag: last?.name ?? null,
        version: highest === undefined ? null : versionText(highest.version),
        hash: last?.hash ?? null,
        date: last?.date ?? null,
        next: nextVersions(highest?.version),
      }
    },
    says: (_args, { tag }) => (tag === null ? 'no tag yet' : tag),
  })
}

interface Tag {
  readonly name: string
  readonly hash: string
  readonly date: string
  readonly version: Version | undefined
}

async function tagsOf(git: Git, commit: string, match: string): Promise<readonly Tag[]> {
  const format = '%(refname:strip=2)%00%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)%00%(creatordate:iso-strict)'
  const { text: output, truncated } = await git.run(
    ['for-each-ref', `--merged=${commit}`, `--format=${format}`, `refs/tags/${match}`],
    MOST,
  )
  if (truncated) throw faults.make('R4108', 'there are more tags than can be read', { fix: 'use match to select fewer tags, such as v2.*' })
  return output.split('\n').flatMap((line): Tag[] => {
    const [name = '', hash = '', date = ''] = line.split('\0')
    return name === '' ? [] : [{ name, hash, date, version: readVersion(name) }]
  })
}

/** Returns the tag with the fewest commits after it. */
async function nearest(git: Git, commit: string, tags: readonly Tag[]): Promise<Tag | undefined> {
  const { text: output } = await git.run(['describe', '--tags', '--abbrev=0', commit], 1000)
  return tags.find(({ name }) => name === output.trim()) ?? tags.at(-1)
}
