/**
 * A plain script with a wrapped agent over a SQLite store: `node waiting-script.ts FOLDER run|resume|leave`. The first run kills its process in
 * the call of a tool that nobody may repeat. Nothing but Reflex keeps the process alive.
 */
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { isFault } from '../../../src/kernel/index.ts'
import { Reflex } from '../../../src/wrap/index.ts'

const [, , folder = '', what = 'run'] = process.argv

const say = (line: string): void => void writeSync(1, `${line}\n`)

const reflex = new Reflex({ workdir: folder, store: join(folder, 'reflex.db'), onTrouble: ({ code }) => say(code) })
const agent = reflex.wrap({
  name: 'sender',
  tools: {
    send: async (args: { readonly to: string }) => {
      say(`sends to ${args.to}`)
      if (what === 'run') process.kill(process.pid, 'SIGKILL')
      return 'sent'
    },
  },
  llm: async (_: { readonly messages: readonly object[] }) => 'ok',
  agent: async (to: string, { llm, tools }) => `${await llm({ messages: [] })} ${await tools.send({ to })}`,
})
try {
  say(await (what === 'run' ? agent.run('bob', { id: 'otter' }) : agent.resume('otter', what === 'leave' ? { answers: 'none' } : {})))
} catch (thrown) {
  say(`left: ${isFault(thrown) ? thrown.code : String(thrown)}`)
}
