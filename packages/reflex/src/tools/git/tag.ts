import { namedArguments, withDefault, path, text } from '../arguments.ts'
import { faults } from '../faults.ts'
import { repositoryNeeds } from './repository.ts'
import { type Git, type GitSettings, openRepository } from './run.ts'
import { defineTool, type Tool } from '../tool.ts'

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

/** A version in a tag: `v1.4.2`, `1.4`, `2.0.0-rc.1`. */
interface Version {
  readonly numbers: readonly [major: number, minor: number, patch: number]
  /** The parts of a pre-release; empty for a release. */
  readonly pre: readonly string[]
}

const FORM = /^v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,100}))?(?:\+[0-9A-Za-z.-]{1,100})?$/

/** Returns the version in a tag, or undefined. */
function readVersion(tag: string): Version | undefined {
  const [whole, major, minor, patch = '0', pre] = FORM.exec(tag) ?? []
  if (whole === undefined) return undefined
  return { numbers: [Number(major), Number(minor), Number(patch)], pre: pre === undefined ? [] : pre.split('.') }
}

/** Returns a version without `v` and build. */
function versionText({ numbers, pre }: Version): string {
  return numbers.join('.') + (pre.length === 0 ? '' : `-${pre.join('.')}`)
}

/** Compares versions (semver.org, 11): negative if `a` precedes `b`. */
function compareVersions(a: Version, b: Version): number {
  for (const [i, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[i] ?? 0)
    if (difference !== 0) return difference
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const difference = comparePart(a.pre[i], b.pre[i])
    if (difference !== 0) return difference
  }
  return 0
}

function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  const numeric = [a, b].map((part) => /^\d+$/.test(part))
  if (numeric[0] === true && numeric[1] === true) return Number(a) - Number(b)
  if (numeric[0] !== numeric[1]) return numeric[0] === true ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Returns the possible next versions; a pre-release is followed by its release. Without a version, they follow 0.0.0. */
function nextVersions(version: Version | undefined): { readonly major: string; readonly minor: string; readonly patch: string } {
  const [major, minor, patch] = version?.numbers ?? [0, 0, 0]
  const early = version !== undefined && version.pre.length > 0
  return {
    major: early && minor === 0 && patch === 0 ? `${major}.0.0` : `${major + 1}.0.0`,
    minor: early && patch === 0 ? `${major}.${minor}.0` : `${major}.${minor + 1}.0`,
    patch: early ? `${major}.${minor}.${patch}` : `${major}.${minor}.${patch + 1}`,
  }
}
