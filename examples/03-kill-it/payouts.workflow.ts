/** A workflow that does three things outside, and the tools that do them. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { defineTool, type ToolCall } from 'reflex-runtime/tools'
import { workflow } from 'reflex-runtime/workflow'
import { z } from 'zod'

/** Milliseconds between an effect and its result, in which the process can be killed. `SLOW=5000` is enough to do it by hand. */
const SLOW = Number(process.env['SLOW'] ?? 150)

/** Writes a line for something that happened outside. It remains when the process dies. */
function happen(call: ToolCall, file: string, line: string): void {
  mkdirSync(join(call.workdir, 'outside'), { recursive: true })
  appendFileSync(join(call.workdir, 'outside', file), `${line}\n`)
}

function happened(call: ToolCall, file: string, key: string): boolean {
  const path = join(call.workdir, 'outside', file)
  return existsSync(path) && readFileSync(path, 'utf8').includes(key)
}

/** The bank keeps the key of each transfer: the same key again is the same transfer. */
export const transfer = defineTool({
  name: 'bank.transfer',
  description: 'Transfers money.',
  leaves: true,
  repeat: 'keyed',
  input: z.object({ to: z.string(), amount: z.number().positive() }),
  async run({ to, amount }, call) {
    if (!happened(call, 'bank.log', call.key)) happen(call, 'bank.log', `${call.key} ${amount} to ${to}`)
    await wait(SLOW)
    return { receipt: call.key }
  },
  says: ({ to, amount }) => `€${amount} to ${to}`,
})

/** The post office keeps no keys: a letter that is sent again is a second letter. So Reflex asks before it repeats one. */
export const letter = defineTool({
  name: 'post.letter',
  description: 'Sends a letter.',
  leaves: true,
  repeat: 'ask',
  input: z.object({ to: z.string() }),
  async run({ to }, call) {
    happen(call, 'post.log', `letter to ${to}`)
    await wait(SLOW)
    return { sent: true }
  },
  says: ({ to }) => `to ${to}`,
})

export const payouts = workflow({
  id: 'payouts',
  entry: 'ana',
  nodes: {
    ana: { spec: { tool: 'bank.transfer', args: { to: 'ana', amount: 120 }, writes: 'ana' } },
    ben: { spec: { tool: 'bank.transfer', args: { to: 'ben', amount: 80 }, writes: 'ben' } },
    letter: { spec: { tool: 'post.letter', args: { to: 'the tax office' } } },
    done: { spec: { writes: { paid: 200 } } },
  },
  edges: [
    { from: 'ana', to: 'ben' },
    { from: 'ben', to: 'letter' },
    { from: 'letter', to: 'done' },
  ],
})
