/**
 * Starts the payouts and kills the process with SIGKILL at every record and in the middle of every deed, going on with
 * the run each time, until it is completed. Then counts what happened outside.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const REFLEX = resolve(import.meta.dirname, '../../packages/reflex/bin/reflex.js')
const PROGRAM = join(import.meta.dirname, 'payouts.workflow.ts')
const RUN = 'payouts-1'
const folder = mkdtempSync(join(tmpdir(), 'reflex-kill-it-'))

/** What has happened outside so far. */
function outside(): readonly string[] {
  return ['bank.log', 'post.log'].flatMap((name) => {
    const file = join(folder, 'outside', name)
    // A file that has been opened for its first line holds no deed.
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  })
}

/** A deed without the key under which the bank knows it. */
function plain(deed: string): string {
  return deed.replace(/^\S+:\d+ /, '€')
}

interface Life {
  /** Why it was killed; undefined where it ended by itself. */
  readonly killed: string | undefined
  readonly code: number | null
  readonly said: string
}

const seen = new Set<number>()
let deeds = 0

/**
 * Lives until a record or a deed comes that no life before it has seen, and is killed there. After an answer only a deed
 * counts: a letter that nobody lets be sent would be asked about for ever.
 */
function live(answered: boolean): Promise<Life> {
  const words = seen.size === 0 ? ['run', PROGRAM, '--id', RUN] : ['resume', RUN]
  const child = spawn(process.execPath, [REFLEX, ...words, '--jsonl', '--answers', 'none'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (part) => (said += String(part)))
  let killed: string | undefined
  const kill = (why: string): void => {
    if (killed !== undefined) return
    killed = why
    child.kill('SIGKILL')
  }
  const watch = setInterval(() => {
    if (outside().length === deeds) return
    deeds = outside().length
    const deed = outside().at(-1) ?? ''
    kill(`after “${plain(deed)}”, before anybody knew`)
  }, 5)
  followRecords(child, (record) => {
    if (seen.has(record)) return
    seen.add(record)
    if (!answered) kill(`at record ${record}`)
  })
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearInterval(watch)
      resolve({ killed, code, said })
    })
  })
}

function followRecords(child: ChildProcess, take: (record: number) => void): void {
  let text = ''
  child.stdout?.on('data', (part) => {
    text += String(part)
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      const { record } = JSON.parse(line) as { readonly record?: number }
      if (record !== undefined) take(record)
    }
  })
}

/** Whether the run is over: a kill may come after its last record. */
function isOver(): boolean {
  const { stdout } = spawnSync(process.execPath, [REFLEX, 'runs', '--json'], { cwd: folder, encoding: 'utf8' })
  const { runs } = JSON.parse(stdout) as { readonly runs: readonly { readonly status: string }[] }
  return runs.some(({ status }) => status === 'completed')
}

/** Reflex does not know whether the letter was sent, so it asks. Whoever looks outside does know. */
function answerFromOutside(): string {
  const sent = outside().some((line) => line.startsWith('letter'))
  const answer = sent ? 'happened' : 'repeat'
  spawnSync(process.execPath, [REFLEX, 'answer', RUN, answer, '--no-run', '--by', 'who looked'], { cwd: folder })
  return `${sent ? 'a' : 'no'} letter outside, so: ${answer}`
}

console.log(`payouts, killed at every record and in every deed · ${folder}`)
let kills = 0
let answered = false
for (let life = 1; ; life++) {
  const { killed, code, said } = await live(answered)
  answered = code === 75
  const name = `life ${life}`.padEnd(7)
  if (killed !== undefined) {
    kills++
    const over = isOver()
    console.log(`  ✗ ${name}  killed ${killed}${over ? ', when all was done' : ''}`)
    if (over) break
  } else if (code === 75) console.log(`  ? ${name}  asks whether post.letter happened: ${answerFromOutside()}`)
  else if (code === 0) {
    console.log(`  ✓ ${name}  completed`)
    break
  } else throw new Error(`life ${life} ended with ${code}: ${said}`)
}

const lines = outside()
console.log(`\n${kills} kills. What happened outside:`)
for (const line of lines) console.log(`  ${plain(line)}`)
const once = lines.length === 3 && new Set(lines).size === 3
console.log(once ? 'Each of the three exactly once.' : 'Something happened twice, or not at all.')
process.exitCode = once ? 0 : 1
