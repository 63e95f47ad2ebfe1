/**
 * Starts the payouts and kills the process with SIGKILL at every record and in the middle of every effect, and resumes
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

/** Returns the lines of everything that has happened outside so far. */
function outside(): readonly string[] {
  return ['bank.log', 'post.log'].flatMap((name) => {
    const file = join(folder, 'outside', name)
    // A file that was opened for its first line may still be empty.
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
  })
}

/** Returns a line without the key of the bank. */
function plain(line: string): string {
  return line.replace(/^\S+:\d+ /, '€')
}

interface Life {
  /** The reason why it was killed; undefined if it ended by itself. */
  readonly killed: string | undefined
  readonly code: number | null
  readonly said: string
}

const seen = new Set<number>()
let effects = 0

/**
 * Runs until a record or an effect appears that no process before it has seen, and is killed there. After an answer only an
 * effect counts: otherwise the letter would never be sent, and the same question would be asked again and again.
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
    if (outside().length === effects) return
    effects = outside().length
    const last = outside().at(-1) ?? ''
    kill(`after “${plain(last)}”, before its result was recorded`)
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

/** True if the run is over: a kill can come after its last record. */
function isOver(): boolean {
  const { stdout } = spawnSync(process.execPath, [REFLEX, 'runs', '--json'], { cwd: folder, encoding: 'utf8' })
  const { runs } = JSON.parse(stdout) as { readonly runs: readonly { readonly status: string }[] }
  return runs.some(({ status }) => status === 'completed')
}

/** Reflex does not know if the letter was sent, so it asks. The answer is found outside. */
function answerFromOutside(): string {
  const sent = outside().some((line) => line.startsWith('letter'))
  const answer = sent ? 'happened' : 'repeat'
  spawnSync(process.execPath, [REFLEX, 'answer', RUN, answer, '--no-run', '--by', 'a person'], { cwd: folder })
  return `${sent ? 'a' : 'no'} letter outside, so: ${answer}`
}

console.log(`payouts, killed at every record and in every effect · ${folder}`)
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
