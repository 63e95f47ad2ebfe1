/**
 * Runs the gate with a broker that books the first order and does not answer, kills the gate with SIGKILL in between, and resumes it. Prints
 * how often each order is in the book.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const REFLEX = resolve(import.meta.dirname, '../../packages/reflex/bin/reflex.js')
const OUT = 'examples/11-order-gate/out'
const RUN = 'crashed'

/** Returns the orders in the book of the broker. */
function orders(): readonly { readonly size: number; readonly price: number }[] {
  const file = join(OUT, 'orders.jsonl')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as { size: number; price: number })
}

rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })
writeFileSync(join(OUT, 'stuck'), '')

const words = ['run', 'examples/11-order-gate/order-gate.dataflow.json', '--events', 'examples/11-order-gate/signals.jsonl', '--id', RUN]
const child = spawn(process.execPath, [REFLEX, ...words, '--answers', 'none'], { stdio: 'ignore' })
const watching = watch(OUT, () => {
  if (orders().length > 0) child.kill('SIGKILL')
})
child.on('close', (_, signal) => {
  watching.close()
  console.log(`ended by ${signal ?? 'itself'} with ${orders().length} order in the book and no acknowledgement`)
  rmSync(join(OUT, 'stuck'))
  const { status, stderr } = spawnSync(process.execPath, [REFLEX, 'resume', RUN, '--answers', 'none'], { encoding: 'utf8' })
  if (status !== 75) console.log(stderr)
  for (const { size, price } of orders()) console.log(`  ${size} at ${price}`)
  console.log('Each order exactly once; the third waits for a person.')
})
