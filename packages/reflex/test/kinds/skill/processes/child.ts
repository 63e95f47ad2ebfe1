/**
 * A process with a skill over a SQLite store: `node child.ts ORDER`, the order being JSON. What its tools do stands in a file, one line for
 * each call; what came of it goes to its standard output.
 */
import { appendFileSync, existsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Reflex, type Wrapped } from '../../../../src/wrap/index.ts'
import type { Order } from './processes.ts'

const order = JSON.parse(process.argv[2] ?? '{}') as Order
const { folder, what, tag = 'v1', dies } = order

/** Milliseconds between looks at a file. */
const LOOK = 5

function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}

let calls = 0

/** Notes a call. The process kills itself at the call that its order names, before or after the world has it. */
function note(call: string): void {
  calls++
  if (dies?.at === calls && !dies.after) process.kill(process.pid, 'SIGKILL')
  appendFileSync(join(folder, 'calls.txt'), `${call}\n`)
  if (dies?.at === calls) process.kill(process.pid, 'SIGKILL')
}

const tools = {
  set_tag: {
    sideEffects: 'external',
    idempotent: true,
    execute: async (args: { readonly tag: string }) => {
      note(`set_tag ${args.tag}`)
      say({ called: args.tag })
      while (order.waits !== undefined && !existsSync(join(folder, order.waits))) await setTimeout(LOOK)
      return 'ok'
    },
  },
  look: {
    sideEffects: 'none',
    execute: async () => {
      note('look')
      return 'seen'
    },
  },
}

interface Context {
  readonly llm: (request: { readonly messages: readonly object[] }) => Promise<string>
  readonly tools: typeof tools
}

function agentOf(reflex: Reflex): Wrapped<string, string> {
  return reflex.wrap({
    name: 'loop',
    tools,
    llm: async ({ messages }: { readonly messages: readonly object[] }) => {
      note('model')
      const isTold = JSON.stringify(messages).includes('SKILL_RESULT')
      return isTold ? 'Done.' : `<SKILL_PROPOSE>{"skill_id":"release.tag","inputs":{"tag":"${tag}"}}</SKILL_PROPOSE>`
    },
    agent: async (text: string, context: Context) => {
      await context.tools.look.execute()
      return context.llm({ messages: [{ role: 'user', content: text }] })
    },
  })
}

const reflex = new Reflex({
  workdir: folder,
  store: join(folder, 'reflex.db'),
  skill: { project: 'acme', tools: [{ name: 'set_tag', sideEffects: 'external', idempotent: true }] },
})
const agent = agentOf(reflex)
let id = order.run ?? ''
const options = { ...(order.run === undefined ? {} : { id }), onStart: (run: string) => void (id = run) }
try {
  say({ said: await (what === 'resume' ? agent.resume(id) : agent.run('release it', options)) })
  say({ trace: JSON.stringify(await reflex.trace(id)) })
} finally {
  await reflex.close()
}
