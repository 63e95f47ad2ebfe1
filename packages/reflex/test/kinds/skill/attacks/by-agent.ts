import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import { type ChatMessage, life, type Life } from '../../../wrap/session/world.ts'
import { type AttackTurn, type Came, wordsOf } from './attack.ts'
import type { Ground } from './ground.ts'

/** Turns of the event loop after which a turn that goes on waits for time. */
const QUIET = 400
/** Milliseconds that pass at once, and how often they do before the turn counts as endless. */
const [LATER, TIMES] = [20_000, 12]

interface Llm {
  (request: { readonly messages: readonly ChatMessage[] }): Promise<{ readonly role: string; readonly content: Json }>
}

/** Runs an attack through the front door: an agent that is wrapped, with a skill of its own. */
export async function byAgent(ground: Ground): Promise<Came> {
  const { attack } = ground
  const one = life({ skill: { ...attack.host, tools: ground.facts } })
  await ground.activate(one)
  const texts: string[] = []
  const asked = new Map<AttackTurn, number>()
  const wrapped = one.reflex.wrap({
    name: 'attacked',
    agent: async (turn: AttackTurn, { llm }: { readonly llm: unknown }) => {
      const read = turn.tool === undefined ? [] : [{ role: 'tool', tool_call_id: 'c1', content: turn.tool }]
      const { content } = await (llm as Llm)({ messages: [{ role: 'user', content: turn.user }, ...read] })
      texts.push(wordsOf(content))
    },
    tools: Object.fromEntries(ground.facts.map(({ name }) => [name, (args: JsonObject) => ground.call(name, args)])),
    llm: async (request: { readonly messages: readonly ChatMessage[] }) => {
      ground.requests.push(JSON.stringify(request.messages))
      const turn = currentTurn(attack.turns ?? [], request.messages)
      const round = asked.get(turn) ?? 0
      asked.set(turn, round + 1)
      const reply = ground.reply(turn, round)
      return typeof reply === 'string' ? { role: 'assistant', content: reply } : reply
    },
  })
  const turns: Promise<unknown>[] = []
  let isOpen = false
  for (const turn of attack.turns ?? []) {
    const run = wrapped.run(turn)
    turns.push(run)
    isOpen = !(await ended(turn.stays === true ? undefined : run, one, ground)) || isOpen
  }
  for (const turn of turns) isOpen = !(await ended(turn, one, ground)) || isOpen
  const runs = await Promise.all((await one.reflex.runs()).map(({ id }) => one.reflex.trace(id)))
  const sent = ground.requests.join('\n')
  const told = `${JSON.stringify(runs)}\n${sent}\n${one.troubles.map(String).join('\n')}`
  return {
    calls: ground.calls,
    shown: texts.join('\n'),
    sent,
    told,
    rounds: ground.requests.length,
    isOpen,
    outcome: '',
    hasFile: (name) => ground.hasFile(name),
  }
}

/** The turn to which a request belongs: that of the last text of the user. */
function currentTurn(turns: readonly AttackTurn[], messages: readonly ChatMessage[]): AttackTurn {
  const text = JSON.stringify(messages)
  const found = turns.findLast(({ user }) => text.includes(JSON.stringify(user).slice(1, -1)))
  if (found === undefined) throw new Error('a request belongs to no turn')
  return found
}

/** Waits for the end of a turn; without one, until a tool hangs. Time passes only while a tool hangs. Returns false if it does not end then. */
async function ended(turn: Promise<unknown> | undefined, { host }: Life, ground: Ground): Promise<boolean> {
  const over = { is: false }
  const end = (): void => void (over.is = true)
  turn?.then(end, end)
  const hung = ground.hanging
  for (let passed = 0; passed < TIMES; passed += ground.hanging > 0 ? 1 : 0) {
    for (let i = 0; i < QUIET; i++) {
      if (over.is || (turn === undefined && ground.hanging > hung)) return true
      await new Promise(setImmediate)
    }
    if (turn !== undefined && ground.hanging > 0) await host.advance(LATER)
  }
  return false
}
