import { Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { digest, isObject, type Json, type JsonObject, type Port, type Rec, replay } from '../../../../src/kernel/index.ts'
import { entryNames, promptName, skillLedger } from '../../../../src/kinds/skill/ledger/entries.ts'
import { skillKind } from '../../../../src/kinds/skill/plan/kind.ts'
import { lookPort } from '../../../../src/kinds/skill/plan/look-port.ts'
import { registryPorts } from '../../../../src/kinds/skill/plan/registry-port.ts'
import { skillHost } from '../../../../src/kinds/skill/plan/skill-host.ts'
import { SkillMaker } from '../../../../src/kinds/skill/plan/skill-program.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { type World, worldOf } from '../../../kernel/world.ts'
import { runsSettings } from '../../../policy/settings.ts'
import { tool } from '../skills.ts'

const PROMPT = 'Find the colour.'
const MODEL = 'model-1'
const TOOLS = [tool('show', { sideEffects: 'none', idempotent: true }), tool('paint')]

/** A skill whose decision and plan read everything that a record can have: a function, a parser, tools, the blackboard. */
const PAINT: Json = {
  schema: 'reflex.capability/1',
  id: 'app.paint',
  version: '1.0.0',
  owner: 'platform',
  description: 'Paints an app.',
  compat: {},
  signature: {
    inputs: [{ name: 'colour', type: 'string' }],
    outputs: [{ name: 'seen', type: 'string' }],
    blackboard_bindings: { outputs: { seen: 'work.seen' } },
  },
  preconditions: { tools_available: ['show', 'paint'], invariants: ["window('paint') == 'open'"] },
  plan: {
    idempotence_key: 'paint:{{colour}}',
    steps: [
      { id: 'look', tool: 'show', args: {}, timeout_ms: 1000, capture: { 'work.before': '/colour' } },
      { id: 'put', tool: 'paint', args: { colour: '{{colour}}', before: '{{work.before}}' }, timeout_ms: 1000 },
    ],
    compensation: 'none',
    irreversible_reason: 'paint stays',
    result_map: { seen: '{{work.before}}' },
  },
  effects: { writes: ['work.seen', 'work.before'], external: ['updated:app'] },
  activation: { keywords_any: ['paint'], score_weights: { keyword_hit: 1, recent_success: 1 } },
  llm_support: {
    parsers: [
      { name: 'colour', model: MODEL, prompt_ref: 'colour.v1', prompt_sha256: digest(PROMPT), inputs: ['user_text'], outputs: ['colour'] },
    ],
  },
}

interface Recorded {
  readonly world: World
  readonly records: readonly Rec[]
  /** The calls of tools, models and functions so far. */
  readonly calls: () => number
}

async function recorded(hidesContents = false): Promise<Recorded> {
  let calls = 0
  const store = memoryStore()
  const window = { name: 'window', params: ['string'], returns: 'string', call: () => (calls++, 'open') } as const
  const host = skillHost({ project: 'acme', tau: 0.6, functions: [window], tools: TOOLS }, 'work')
  const maker = new SkillMaker(host, () => TOOLS)
  const kind = skillKind((source) => maker.compile(source), hidesContents)
  const world = worldOf([kind], { store, settings: runsSettings() })
  const program = world.runtime.programs.add('skill', 'app.paint', PAINT)
  const entry = (name: string, value: Json) => store.appendAll(skillLedger('acme', 'default'), name, [{ name, value }], 0)
  await entry(entryNames.active('app.paint'), { versions: [{ version: '1.0.0', hash: maker.compile(PAINT).hash }], since: 0, by: 'ana' })
  await entry(entryNames.state('app.paint', '1.0.0'), { state: 'active', reason: '', since: 0, by: 'ana' })
  await entry(promptName('colour.v1'), PROMPT)
  const answering = (result: Json): Port => ({ leaves: true, repeat: 'keyed', perform: () => (calls++, result) })
  const ports: Record<string, unknown> = {
    tool: answering({ colour: 'red' }),
    model: answering({ model: MODEL, text: '{"colour":"blue"}' }),
    'skills.look': lookPort(
      {
        store,
        host: world.host,
        tools: { names: () => [], find: () => undefined } as never,
        compiles: (source) => maker.compiles(source),
        project: async () => ({ board: {} }),
      },
      host,
    ),
    ...registryPorts({ store, host: world.host }, host),
  }
  for (const [name, port] of Object.entries(ports)) world.runtime.ports.set(name, port as Port)
  const run = await world.runtime.start(program, { args: { _proposal: { carrier: 'text', user_text: 'paint it blue' } } })
  await run.idle()
  expect(run.state.ended).toMatchObject({ status: 'done', value: { status: 'ok', outputs: { seen: 'red' } } })
  return { world, records: (await world.runtime.history(run.id)).records, calls: () => calls }
}

/** Changes the result of the first effect that `is` accepts, in a copy. Returns the copy, and the number of the changed record. */
function withResult(
  records: readonly Rec[],
  is: (result: JsonObject) => boolean,
  change: (result: JsonObject) => Json,
): readonly [Rec[], number] {
  const copy = structuredClone(records) as Rec[]
  const at = copy.findIndex(({ input }) => input?.[0] === 'ok' && isObject(input[2]) && is(input[2]))
  const record = copy[at]
  if (record?.input?.[0] !== 'ok') throw new Error('there is no such result')
  copy[at] = { ...record, input: ['ok', record.input[1], change(record.input[2] as JsonObject)] }
  return [copy, at + 1]
}

const CHANGES: readonly (readonly [string, (records: readonly Rec[]) => readonly [Rec[], number]])[] = [
  [
    'the threshold',
    (records) =>
      withResult(
        records,
        ({ tau }) => tau !== undefined,
        (look) => ({ ...look, tau: 1 }),
      ),
  ],
  [
    'a parser',
    (records) =>
      withResult(
        records,
        ({ model }) => model === MODEL,
        (reply) => ({ ...reply, text: '{"colour":"it"}' }),
      ),
  ],
  [
    'a tool',
    (records) =>
      withResult(
        records,
        ({ colour }) => colour === 'red',
        () => ({ colour: 'green' }),
      ),
  ],
  [
    'a function of the host',
    (records) =>
      withResult(
        records,
        ({ functionResults }) => Array.isArray(functionResults) && functionResults.length > 0,
        (look) => ({ ...look, functionResults: JSON.parse(JSON.stringify(look['functionResults']).replace('"open"', '"shut"')) as Json }),
      ),
  ],
  [
    'a value of the blackboard',
    (records) => {
      const copy = structuredClone(records) as Rec[]
      const at = copy.findIndex(({ writes = [] }) => JSON.stringify(writes).includes('"work.before","red"'))
      const record = copy[at]
      if (record === undefined) throw new Error('nothing is captured')
      copy[at] = JSON.parse(JSON.stringify(record).replace('"work.before","red"', '"work.before","blue"')) as Rec
      return [copy, at + 1]
    },
  ],
]

describe('the replay of a skill', () => {
  // proves: skill 147
  it.each(CHANGES)('stops where the record differs in %s', async (_, change) => {
    const { world, records } = await recorded()
    const [changed, place] = change(records)
    const { difference } = replay(changed, world.runtime.programs)
    expect(difference?.record).toBe(place)
  })

  // proves: skill 147
  it('stops where another manifest in the place of the recorded one decides otherwise', async () => {
    const { world, records } = await recorded()
    const [pin] = records[0]?.more?.start?.pins ?? []
    if (pin === undefined) throw new Error('the run has no program')
    const other = JSON.parse(JSON.stringify(PAINT).replace('paint:{{colour}}', 'other:{{colour}}')) as Json
    const known = world.runtime.programs.copyKinds()
    known.restore(pin, other)
    expect(replay(records, known).difference?.record).toBeGreaterThan(1)
  })

  // proves: skill 148
  it('is equal, and calls no tool, model, function or address', async () => {
    const { world, records, calls } = await recorded()
    const before = calls()
    const connect = vi.spyOn(Socket.prototype, 'connect').mockImplementation(() => {
      throw new Error('a socket is opened')
    })
    onTestFinished(() => connect.mockRestore())
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
    expect(calls()).toBe(before)
  })

  // proves: skill 143, skill 147
  it('decides again without contents what a parser, a function and the blackboard have decided', async () => {
    const { world, records } = await recorded(true)
    const text = JSON.stringify(records)
    for (const content of ['red', 'blue', 'paint it']) expect(text).not.toContain(content)
    expect(replay(records, world.runtime.programs).difference).toBeUndefined()
    for (const [from, to] of [
      ['"source":"parser","valid":true', '"source":"missing","valid":false'],
      [`{"value":true}`, `{"value":false}`],
    ] as const) {
      // The gate looks twice: first to learn with which values the function is asked.
      const at = records.findLastIndex((record) => JSON.stringify(record).includes(from))
      const changed = records.map((record, i) => (i === at ? (JSON.parse(JSON.stringify(record).replace(from, to)) as Rec) : record))
      expect(replay(changed, world.runtime.programs).difference?.record).toBe(at + 1)
    }
  })
})
