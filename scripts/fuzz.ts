/**
 * `npm run fuzz -- --n 100000`: changes programs of every format in every way and has them read, compiled, checked and formatted
 * as a user would. No program may do anything but be accepted or come back with its faults, soon. The last line counts; the exit
 * code is 1 if it counts anything. `--seed S --only I` does one of them again, and shows it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Door } from './fuzz/door.ts'
import { harvest } from './fuzz/pool.ts'
import { programOf, subjectsNamed } from './fuzz/worker.ts'

const SHOWN = 10
/** Milliseconds that one program may take, on a machine that does other things as well. */
const LONGEST = 10_000
const WORKER = new URL('fuzz/worker.ts', import.meta.url)

const { values } = parseArgs({
  options: {
    n: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    subject: { type: 'string' },
  },
})
const [count, seed] = [values.n, values.seed].map((text) => Math.max(0, Number.parseInt(text, 10) || 0)) as [number, number]
const all = subjectsNamed(values.subject)
if (all.length === 0) {
  const names = subjectsNamed(undefined).map(({ name }) => name)
  console.error(`error  there is no subject ${values.subject}\n  fix    one of ${names.join(', ')}`)
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'reflex-fuzz-'))
try {
  if (values.only === undefined) await many()
  else await one(Number(values.only))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** One program again, in this process, so that a debugger can look at it. */
async function one(number: number): Promise<void> {
  const { subject, text } = programOf(all, seed, number)
  console.log(`program ${number} of seed ${seed}, ${subject.name}:\n${text}\n`)
  const door = new Door(join(folder, 'one'))
  await subject.try(text, door)
  await door.close()
  console.log('nothing is wrong with how it is read')
}

async function many(): Promise<void> {
  const progress = (done: number): void =>
    void process.stderr.write(`${done.toLocaleString('en-US')} of ${count.toLocaleString('en-US')}\n`)
  const workers = Math.min(4, availableParallelism())
  const { crashes, hangs } = await harvest({
    seed,
    count,
    workers,
    folder,
    only: values.subject,
    worker: WORKER,
    longest: LONGEST,
    progress,
  })
  const again = (number: number): string =>
    `  again  npm run fuzz -- --seed ${seed} --only ${number}${values.subject === undefined ? '' : ` --subject ${values.subject}`}`
  for (const { number, subject, what } of crashes.slice(0, SHOWN))
    console.log(`crash  program ${number}, ${subject}\n${what}\n${again(number)}`)
  for (const number of hangs.slice(0, SHOWN)) console.log(`hang   program ${number}\n${again(number)}`)
  console.log(`${count.toLocaleString('en-US')} programs of ${all.map(({ name }) => name).join(', ')}; seed ${seed}`)
  console.log(`${crashes.length} crashes, ${hangs.length} hangs`)
  process.exitCode = crashes.length + hangs.length > 0 ? 1 : 0
}
