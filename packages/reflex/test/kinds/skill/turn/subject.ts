import { type Call, isObject, type Json, type JsonObject, type Run, type Store } from '../../../../src/kernel/index.ts'
import { skillKind } from '../../../../src/kinds/skill/plan/kind.ts'
import { registryPorts } from '../../../../src/kinds/skill/plan/registry-port.ts'
import { type TurnHost, turnHosts } from '../../../../src/kinds/skill/turn/host.ts'
import { turnKind } from '../../../../src/kinds/skill/turn/kind.ts'
import { turnPorts } from '../../../../src/kinds/skill/turn/ports.ts'
import type { TurnInput, TurnSource } from '../../../../src/kinds/skill/model/turn.ts'
import type { RunSettings } from '../../../../src/policy/index.ts'
import type { KindSubject } from '../../../../src/testing/index.ts'
import { runsSettings } from '../../../policy/settings.ts'
import { FAILS, host, LOOK, maker, READS, tools } from '../plan/subjects.ts'
import { tool } from '../skills.ts'

/** The calls that the loop of an agent makes, one after the other. */
const CALLS: readonly Extract<TurnInput, { readonly id: string }>[] = [
  { do: 'tool', id: 'tool/look/1/0', tool: 'look', args: { at: 'a' } },
  { do: 'model', id: 'model/1/0', request: { keep: 0, add: [{ role: 'user', content: 'deploy pay' }] }, userText: 'deploy pay' },
  { do: 'tool', id: 'tool/put/1/0', tool: 'put', args: { row: 1 } },
  { do: 'tool', id: 'tool/put/1/1', tool: 'put', args: { row: 1 } },
  { do: 'model', id: 'model/2/0', request: { base: 'model/1/0', keep: 1, add: [{ role: 'user', content: 'and now?' }] } },
]

const SOURCE: TurnSource = {
  agent: 'loop',
  tools: [tool('look', { sideEffects: 'none', idempotent: true }), tool('put', { idempotent: true })],
  cards: 5,
  carrier: 'text',
  rounds: 3,
}

/** What the model of the agent replies: first it proposes a skill, then it says what came of that. */
function replyOf({ args }: Call<RunSettings>): Json {
  const { id, round = 0 } = isObject(args) ? args : {}
  const proposes = id === 'model/1/0' && round === 0
  const text = proposes
    ? '<SKILL_PROPOSE>{"skill_id":"app.deploy","inputs":{"app":"pay"}}</SKILL_PROPOSE>'
    : `reply to ${typeof id === 'string' ? id : ''}`
  return { parts: [{ text }], usage: { input: 10, output: 5 } }
}

const CODE: TurnHost = {
  cards: async () => ({ text: '', cards: [] }),
  model: async (call) => replyOf(call),
  // A service that keeps what it is told under a key gives the same answer again.
  act: async ({ args, key }) => ({ did: isObject(args) ? (args['args'] ?? null) : null, under: key.length > 0 }),
}

/** The agent's own loop: its first line again after a crash, and each call that the record has is not made again. */
async function drive(run: Run): Promise<boolean> {
  const board = run.state.root.reader()
  const next = CALLS.find(({ id }) => !board.has(`~r.${id}`))
  if (next !== undefined && isInFlight(run, next.id)) return false
  await run.command(0, (next ?? { do: 'end', status: 'done', value: 'over' }) as unknown as Json)
  return true
}

function isInFlight(run: Run, id: string): boolean {
  const { position } = run.state.root
  const { flights = {}, requests = {}, queue = [] } = isObject(position) ? position : {}
  return [...Object.values(flights as JsonObject), ...Object.keys(requests as JsonObject), ...(queue as readonly Json[])].includes(id)
}

/** A store whose every turn is driven by the same code, also the turns that are forks. */
function drivenBy(store: Store): void {
  turnHosts(store).get = () => CODE
}

const turn = (name: string, skill: Json): KindSubject => ({
  name,
  kinds: [turnKind, skillKind((json) => maker.compile(json))],
  programs: [
    { kind: 'turn', id: 'loop', source: SOURCE as unknown as Json },
    { kind: 'skill', id: 'app.deploy', source: skill },
  ],
  args: { input: 'deploy pay' },
  times: ['at', 'time', 'undoAt', 'undoTime', 'finished', 'started_at'],
  limitsTime: 'a plan has a budget of time',
  settings: runsSettings(),
  ports(store, virtual) {
    drivenBy(store)
    return {
      ...turnPorts(store, (value) => value),
      tool: tools,
      'skills.look': { leaves: false, repeat: 'free', perform: () => LOOK },
      ...registryPorts({ store, host: virtual }, host),
    }
  },
  script: { drive },
})

/** Turns of a plain loop whose model proposes a skill. */
export const TURNS: readonly KindSubject[] = [
  turn('a turn with a skill that reads', READS),
  turn('a turn with a skill that fails in the middle', FAILS),
]
