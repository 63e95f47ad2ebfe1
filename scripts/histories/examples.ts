import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { letter, payouts, transfer } from '../../examples/03-kill-it/payouts.workflow.ts'
import type { RunHandle } from '../../packages/reflex/src/index.ts'
import type { History, Stage } from './stage.ts'

const EXAMPLES = resolve(import.meta.dirname, '../../examples')
const MINUTE = 60_000

export const examples: Readonly<Record<string, History>> = {
  'release-review': {
    about: 'example 01: tools, rules, a sub-workflow that reads its caller’s board, and a question',
    async live(stage) {
      copy(stage, '01-release-review')
      repository(stage.folder)
      const reflex = stage.live()
      const run = await reflex.run('examples/01-release-review', { id: 'otter-2m9q', input: { repo: '.' } })
      await stage.host.advance(3 * MINUTE)
      await answer(run, 'yes')
      return run.id
    },
  },
  refund: {
    about: 'example 02: a model that chooses among open ways, by recorded replies, an approval after an hour, typed keys',
    async live(stage) {
      copy(stage, '02-refund')
      const reflex = stage.live()
      const recorded = 'examples/02-refund/by-hand/A-1042.jsonl'
      const run = await reflex.run('examples/02-refund', { id: 'heron-7k3p', input: { order_id: 'A-1042' }, recorded })
      await stage.host.advance(60 * MINUTE)
      await answer(run, 'YES')
      return run.id
    },
  },
  payouts: {
    about: 'example 03: its process dies while the letter is under way, and a person says that it was sent',
    async live(stage) {
      const run = await killedInTheLetter(stage)
      const again = await stage.live({ tools: [transfer, letter] }).resume(run)
      await again.idle()
      await stage.host.advance(MINUTE)
      await answer(again, 'happened')
      return run
    },
  },
}

/** The payouts until their process dies in the middle of the letter. */
export async function killedInTheLetter(stage: Stage): Promise<string> {
  const reflex = stage.live({ tools: [transfer, letter] })
  const run = await reflex.start(payouts, { id: 'payouts-1' })
  while (!existsSync(join(stage.folder, 'outside/post.log'))) await new Promise((resolve) => setImmediate(resolve))
  run.close()
  return run.id
}

export async function answer(run: RunHandle, value: unknown, reason?: string): Promise<void> {
  const [question] = run.questions
  if (question === undefined) throw new Error(`${run.id} asks nothing: ${run.status}`)
  await run.answer(question, value, 'ana', reason)
  await run.idle()
}

function copy({ folder }: Stage, name: string): void {
  mkdirSync(join(folder, 'examples'))
  cpSync(join(EXAMPLES, name), join(folder, 'examples', name), { recursive: true })
}

/** A history of git whose hashes are the same everywhere. */
function repository(folder: string): void {
  let minute = 10
  const git = (...words: readonly string[]): void => {
    const date = `2026-01-02T10:${minute++}:00Z`
    const who = { GIT_AUTHOR_NAME: 'Ana', GIT_AUTHOR_EMAIL: 'ana@example.org', GIT_AUTHOR_DATE: date }
    const env = {
      PATH: process.env['PATH'],
      ...who,
      GIT_COMMITTER_NAME: 'Ana',
      GIT_COMMITTER_EMAIL: 'ana@example.org',
      GIT_COMMITTER_DATE: date,
    }
    execFileSync('git', ['-c', 'init.defaultBranch=main', ...words], { cwd: folder, env, stdio: 'ignore' })
  }
  const commit = (message: string, text: string): void => {
    writeFileSync(join(folder, 'lib.js'), text)
    git('add', 'lib.js')
    git('commit', '-q', '-m', message)
  }
  git('init', '-q')
  commit('feat: begin', 'export function parse() {}\nexport function load() {}\n')
  git('tag', 'v1.4.2')
  commit('fix: mend a seam', 'export function parse() {}\nexport function load() { }\n')
  commit('feat!: one way to read\n\nBREAKING CHANGE: parse() is gone, use load()', 'export function load() { }\n')
}
