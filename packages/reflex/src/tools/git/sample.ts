import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fsCapability } from '../capability.ts'
import { namedArguments, withDefault, path } from '../arguments.ts'
import { findRepository, repositoryNeeds } from './repository.ts'
import { type GitSettings, openRepository, runGit } from './run.ts'
import { faults } from '../faults.ts'
import { shownPath } from '../paths.ts'
import { defineTool, type Tool, type ToolCall } from '../tool.ts'

/** A commit of the sample: its message and its changes of files. */
interface SampleCommit {
  readonly message: string
  readonly files: Readonly<Record<string, string>>
  readonly tag?: string
}

const LOAD = 'export function load(text) {\n  return text.split(",")\n}\n'
const PARSE = 'export function parse(text) {\n  return load(text)\n}\n'

const SAMPLE: readonly SampleCommit[] = [
  { message: 'feat: read comma separated text', files: { 'index.js': `${LOAD}\n${PARSE}`, 'README.md': '# Sample\n' } },
  { message: 'docs: say what it reads', files: { 'README.md': '# Sample\n\nReads comma separated text.\n' }, tag: 'v1.4.2' },
  { message: 'fix: keep empty fields', files: { 'test.txt': 'a,,b\n' } },
  { message: 'feat: read from a file', files: { 'file.js': "export { load } from '../index.js'\n" } },
  { message: 'feat!: one name for one thing\n\nBREAKING CHANGE: parse() is gone, use load()', files: { 'index.js': LOAD } },
]

/** The first second of 2024, and one day per commit in seconds: the sample is the same everywhere. */
const FIRST_DAY = 1_704_067_200
const DAY = 86_400

/**
 * Returns the repository of a folder: `{repo, sample}`. Without one, it creates a small sample in the run's folder, so
 * that people who try a program on git history have some. The sample is always the same, so after a crash it is created
 * again.
 */
export function gitSample(settings: GitSettings): Tool {
  return defineTool({
    name: 'git.sample',
    description: "Returns the repository of a folder. If there is none, it creates a small sample repository in the run's own folder.",
    leaves: true,
    repeat: 'keyed',
    input: namedArguments({ repo: withDefault(path(), '.') }),
    needs: (args, place) => [...repositoryNeeds(args.repo, place), fsCapability('write', join(place.runFolder, 'sample'))],
    async run(args, call) {
      if (findRepository(args.repo, call) !== undefined) {
        openRepository(args.repo, settings, call)
        return { repo: args.repo, sample: false }
      }
      const folder = join(call.runFolder, 'sample')
      if (!call.allows(fsCapability('write', folder))) throw faults.make('R4105', `${shownPath(folder, call)} may not be written`)
      await makeSample(folder, settings, call)
      return { repo: shownPath(folder, call), sample: true }
    },
    says: ({ repo }, { sample }) =>
      sample ? `no repository in ${repo}, made a sample of ${SAMPLE.length} commits` : `the repository in ${repo}`,
  })
}

async function makeSample(folder: string, settings: GitSettings, call: ToolCall): Promise<void> {
  await mkdir(folder, { recursive: true })
  const variables = { GIT_DIR: join(folder, '.git'), GIT_WORK_TREE: folder }
  await runGit(['init', '--quiet', '--template=', '--initial-branch=main'], { settings, call, cwd: folder, variables })
  await runGit(['fast-import', '--quiet', '--force'], { settings, call, cwd: folder, variables, stdin: SAMPLE.map(commitStream).join('') })
}

/** Returns a commit in the format of `git fast-import`. */
function commitStream({ message, files, tag }: SampleCommit, index: number): string {
  const author = `Sample <sample@example.org> ${FIRST_DAY + index * DAY} +0000`
  const parent = index === 0 ? '' : `from :${index}\n`
  const changes = Object.entries(files).map(([name, text]) => `M 100644 inline ${name}\n${dataOf(text)}`)
  const mark = tag === undefined ? '' : `reset refs/tags/${tag}\nfrom :${index + 1}\n\n`
  return `commit refs/heads/main\nmark :${index + 1}\nauthor ${author}\ncommitter ${author}\n${dataOf(message)}${parent}${changes.join('')}\n${mark}`
}

function dataOf(text: string): string {
  return `data ${new TextEncoder().encode(text).length}\n${text}\n`
}
