import { describe, expect, test } from 'vitest'
import {
  type Change,
  isFault,
  type Json,
  type Kind,
  type Program,
  replay,
  type Run,
  Runtime,
  type Store,
} from '../../../../src/kernel/index.ts'
import type { StoryEvent } from '../../../../src/programs/kind-view.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { virtualHost, type VirtualHost } from '../../../../src/kernel/ports/virtual-host.ts'
import {
  decisionPort,
  loadWorkflow,
  type RunnableAgent,
  serializeWorkflow,
  type Workflow,
  workflowKind,
} from '../../../../src/kinds/workflow/index.ts'
import { agentOf, boardText, flow, onward, writing } from './kit.ts'
import { localEntries } from '../../../../src/kinds/workflow/step/stack.ts'
import { workflowStory } from '../../../../src/kinds/workflow/face/story.ts'
import { workflowName } from '../../../../src/kinds/workflow/step/scopes.ts'

/** A kind of our own, to be called: doubles what it is given, or fails. It waits for nothing. */
const probe: Kind<{ readonly fails: boolean }> = {
  name: 'probe',
  rev: 1,
  compile: (source) => ({ fails: source === 'fails' }),
  step(x) {
    const value = x.get('n')
    if (x.def.fails) return x.fail({ code: 'P1', message: 'the probe is broken', verdict: 'fail' })
    x.set('doubled', typeof value === 'number' ? value * 2 : null)
    x.done()
  },
}

interface World {
  readonly runtime: Runtime
  readonly host: VirtualHost
  readonly store: Store
}

let workers = 0

/** A runtime over a store, as another process would have it. */
function open(agent: RunnableAgent, store = memoryStore(), host = virtualHost()): World {
  const kinds = [workflowKind({ load: (source) => loadWorkflow(source as object) }), probe]
  workers++
  const worker = { id: `worker-${workers}`, host: 'here', pid: process.pid }
  return { runtime: new Runtime({ kinds, ports: { decide: decisionPort(agent) }, store, host, worker }), host, store }
}

/** The source as a file would hold it. */
function source(workflow: Workflow): Json {
  return JSON.parse(serializeWorkflow(workflow)) as Json
}

function add({ runtime }: World, ...workflows: Workflow[]): Program {
  const programs = workflows.map((workflow) => runtime.programs.add('workflow', workflow.id, source(workflow)))
  const last = programs.at(-1)
  if (last === undefined) throw new TypeError('no workflow')
  return last
}

function board(run: Run): string {
  return boardText(localEntries(run.state.root, (frame) => workflowName(run.definition(frame.pin))))
}

const pair = flow('pair', { a: {}, b: {} }, [['a', 'b']])
const asks: RunnableAgent = agentOf({
  a: async (it) =>
    it.input === undefined
      ? { type: 'suspend', reason: 'person', ask: { text: 'Go?', due: 1000, otherwise: 'NO' } }
      : onward(it, { said: it.input }),
})

describe('a workflow on a runtime', () => {
  test('suspends, is answered, and completes', async () => {
    const world = open(asks)
    const run = await world.runtime.start(add(world, pair), { args: { given: 1 } })
    await run.idle()
    expect(run.status).toBe('suspended')
    const [wait] = run.state.waits.values()
    expect(wait).toMatchObject({ type: 'answer', name: 'a', due: world.host.now() + 1000, about: { reason: 'person', text: 'Go?' } })
    await run.answer(wait?.id ?? '', 'YES', 'ana')
    await run.idle()
    expect([run.status, board(run)]).toEqual(['completed', 'given=1 pair/__init__@0, said="YES" pair/a@0'])
    expect(run.state.ended).toEqual({ status: 'done', value: undefined })
  })

  test('continues in another runtime, in the middle of a call, and replays exactly', async () => {
    const child = flow('child', { a: {}, end: { outputs: [{ key: 'said', guaranteed: true }] } }, [['a', 'end']])
    const main = flow('main', { go: { calls: 'child', map: { got: 'said' } }, z: {} }, [['go', 'z']])
    const first = open(asks)
    const started = await first.runtime.start(add(first, child, main))
    await started.idle()
    await first.runtime.close()
    const second = open(asks, first.store, first.host)
    const run = await second.runtime.resume(started.id)
    expect(run.status).toBe('suspended')
    const [wait] = run.state.waits.values()
    await run.answer(wait?.id ?? '', 'YES')
    await run.idle()
    expect([run.status, board(run)]).toEqual(['completed', 'got="YES" main/go@0'])
    const { records } = await second.runtime.history(run.id)
    expect(replay(records, second.runtime.programs).difference).toBeUndefined()
  })

  test('uses the default answer of a question that is not answered in time', async () => {
    const world = open(asks)
    const run = await world.runtime.start(add(world, pair))
    await run.idle()
    await world.host.advance(999)
    expect(run.status).toBe('suspended')
    await world.host.advance(1)
    await run.idle()
    expect([run.status, board(run)]).toEqual(['completed', 'said="NO" pair/a@0'])
  })

  test('uses the default answer also if the time came while no process owned the run', async () => {
    const first = open(asks)
    const { id } = await first.runtime.start(add(first, pair))
    await first.runtime.openRuns.get(id)?.idle()
    await first.runtime.close()
    await first.host.advance(5000)
    const second = open(asks, first.store, first.host)
    const run = await second.runtime.resume(id)
    await first.host.advance(0)
    await run.idle()
    expect([run.status, board(run)]).toEqual(['completed', 'said="NO" pair/a@0'])
  })

  // proves: workflow d-ref-kind, workflow d-scope
  test('calls a program of another kind, which reads its board and returns by the map', async () => {
    const caller = flow('caller', { a: {}, call: { calls: 'probe:p', map: { result: 'doubled' } }, z: {} }, [
      ['a', 'call'],
      ['call', 'z'],
    ])
    const world = open(agentOf({ a: writing({ n: 21 }) }))
    world.runtime.programs.add('probe', 'p', 'works')
    const run = await world.runtime.start(add(world, caller))
    await run.idle()
    expect([run.status, board(run)]).toEqual(['completed', 'n=21 caller/a@0, result=42 caller/call@0'])
  })

  test('suspends if a called program fails; the resumed run repeats the call', async () => {
    const caller = flow('caller', { call: { calls: 'probe:p', map: { result: 'doubled' } }, z: {} }, [['call', 'z']])
    const world = open(agentOf())
    const broken = world.runtime.programs.add('probe', 'p', 'fails')
    const run = await world.runtime.start(add(world, caller))
    await run.idle()
    const [wait] = run.state.waits.values()
    expect(wait).toMatchObject({
      name: 'engine:error',
      about: { fault: { code: 'R2056', message: 'probe:p failed: the probe is broken', path: 'caller/call', cause: { code: 'P1' } } },
    })
    await run.answer(wait?.id ?? '', null)
    await run.idle()
    expect([run.status, run.state.waits.size, broken.name]).toEqual(['suspended', 1, 'probe:p'])
  })

  // proves: workflow d-ref-bare
  test('suspends if a program is missing, and pins it when it exists', async () => {
    const caller = flow('caller', { call: { calls: 'later' }, z: {} }, [['call', 'z']])
    const world = open(agentOf())
    const run = await world.runtime.start(add(world, caller))
    await run.idle()
    const [wait] = run.state.waits.values()
    expect(wait).toMatchObject({ name: 'engine:error', about: { reason: "Sub-workflow 'later' not found", fault: { code: 'R2055' } } })
    add(world, flow('later', { l: {} }, []))
    await run.answer(wait?.id ?? '', null)
    await run.idle()
    expect([run.status, run.state.pins.map(([name]) => name)]).toEqual(['completed', ['workflow:caller', 'workflow:later']])
  })

  test('requests a failed decision again, with its answer, also in another runtime', async () => {
    const failing = agentOf({
      a: async (it) => (it.input === undefined ? { type: 'suspend', reason: 'q' } : Promise.reject(new Error('down'))),
    })
    const first = open(failing)
    const started = await first.runtime.start(add(first, pair))
    await started.idle()
    await started.answer([...started.state.waits.keys()][0] ?? '', 'YES')
    await started.idle()
    expect([...started.state.waits.values()]).toMatchObject([
      { name: 'engine:error', about: { fault: { code: 'R2052', verdict: 'retry' } } },
    ])
    await first.runtime.close()
    const second = open(asks, first.store, first.host)
    const run = await second.runtime.resume(started.id)
    await run.answer([...run.state.waits.keys()][0] ?? '', null)
    await run.idle()
    expect([run.status, board(run)]).toEqual(['completed', 'said="YES" pair/a@0'])
  })

  test('refuses an answer to a question that was never asked or is already answered', async () => {
    const world = open(asks)
    const run = await world.runtime.start(add(world, pair))
    await run.idle()
    await expect(run.answer('99w', 1)).rejects.toMatchObject({ code: 'R2002' })
    const [id = ''] = run.state.waits.keys()
    await run.answer(id, 'YES')
    await expect(run.answer(id, 'NO')).rejects.toSatisfy(isFault)
    await run.idle()
    expect(board(run)).toBe('said="YES" pair/a@0')
  })

  test('returns the outputs that its last node declares, or the writes of that node', async () => {
    const ends = (outputs: boolean) =>
      flow(
        'ends',
        {
          e: outputs
            ? {
                outputs: [
                  { key: 'seed', guaranteed: true },
                  { key: 'never', guaranteed: false },
                ],
              }
            : {},
        },
        [],
      )
    for (const [declared, value] of [
      [true, { seed: 1 }],
      [false, { wrote: 2 }],
    ] as const) {
      const world = open(agentOf({ e: writing({ wrote: 2 }) }))
      const run = await world.runtime.start(add(world, ends(declared)), { args: { seed: 1 } })
      await run.idle()
      expect(run.state.ended).toEqual({ status: 'done', value })
    }
  })

  test('lets an agent declare effects, report progress, and be stopped', async () => {
    let aborted = false
    const agent: RunnableAgent = {
      traits: ({ node }) => ({ leaves: node.id === 'a', repeat: 'keyed' }),
      async resolve(context, call) {
        call?.part({ done: 1 })
        call?.signal.addEventListener('abort', () => {
          aborted = true
        })
        return context.node.id === 'a' ? onward(context, { key: call?.key }) : Promise.withResolvers<never>().promise
      },
    }
    const world = open(agent)
    const run = await world.runtime.start(add(world, pair))
    await world.host.drain(20)
    expect(board(run)).toBe(`key="${run.id}:2" pair/a@0`)
    void run.cancel('enough')
    await run.idle()
    expect([run.status, aborted]).toEqual(['cancelled', true])
  })
})

describe('the story of a run', () => {
  async function storyOf(
    agent: RunnableAgent,
    workflows: Workflow[],
    drive: (run: Run) => Promise<void> = async () => undefined,
  ): Promise<StoryEvent[]> {
    const world = open(agent)
    world.runtime.programs.add('probe', 'p', 'works')
    const events: StoryEvent[] = []
    const tell = (change: Change) => {
      const [, kind = ''] = change.state.pins[change.frame.pin] ?? []
      if (kind === 'workflow') events.push(...workflowStory(change as Parameters<typeof workflowStory>[0]))
    }
    const run = await world.runtime.start(add(world, ...workflows), { prepare: (made) => void made.observe(tell) })
    await run.idle()
    await drive(run)
    await run.idle()
    return events.map(({ facts, ...event }) => ({
      ...event,
      facts: Object.fromEntries(Object.entries(facts ?? {}).filter(([key]) => key !== 'at')),
    }))
  }

  test('shows who decided and why, the open and closed edges, the writes and the next node', async () => {
    const gate = flow('gate', { a: {}, full: {}, no: {} }, [
      ['a', 'full', { type: 'exists', key: 'identity' }],
      ['a', 'no'],
    ])
    const agent = agentOf({
      a: async () => ({ type: 'advance', edge: 'a-no', by: 'rules', because: 'no identity', writes: [{ key: 'verdict', value: 'NO' }] }),
    })
    expect(await storyOf(agent, [gate])).toEqual([
      { mark: 'enter', node: 'a', facts: {} },
      {
        mark: 'decide',
        node: 'a',
        text: 'no identity',
        effect: 2,
        facts: {
          by: 'rules',
          because: 'no identity',
          wrote: { verdict: 'NO' },
          edge: 'a-no',
          open: ['a-no'],
          closed: [['a-full', 'identity is not there']],
          event: 'NEXT',
          to: 'no',
        },
      },
      { mark: 'enter', node: 'no', facts: {} },
      { mark: 'done', node: 'no', text: '', effect: 3, facts: {} },
    ])
  })

  test('shows the entered and left workflows, and the returned values', async () => {
    const caller = flow('caller', { call: { calls: 'probe:p', map: { result: 'doubled' } }, z: {} }, [['call', 'z']])
    const events = await storyOf(agentOf(), [caller])
    expect(events.map(({ mark, node, text }) => `${mark} ${node} ${text ?? ''}`.trim())).toEqual([
      'enter call',
      'push call probe:p',
      'pop call',
      'done call',
      'enter z',
      'done z',
    ])
    expect(events[2]?.facts).toEqual({ returned: { result: null } })
  })

  test('shows questions, answers, failures and abandoned effects', async () => {
    let failures = 1
    const agent = agentOf({
      a: async (it) => {
        if (it.input === undefined) return { type: 'suspend', reason: 'person', ask: { text: 'Go?' } }
        if (failures-- > 0) throw new Error('down')
        return onward(it)
      },
      b: async () => ({ type: 'suspend', reason: 'a pause' }),
    })
    const events = await storyOf(agent, [pair], async (run) => {
      await run.answer([...run.state.waits.keys()][0] ?? '', 'YES', 'ana')
      await run.idle()
      await run.answer([...run.state.waits.keys()][0] ?? '', null)
    })
    expect(events).toMatchObject([
      { mark: 'enter', node: 'a' },
      { mark: 'ask', node: 'a', text: 'Go?', facts: { reason: 'person', question: '3w' } },
      { mark: 'answer', node: 'a', text: 'YES', facts: { answer: 'YES', by: 'ana' } },
      { mark: 'fail', node: 'a', text: 'the agent failed: down', facts: { fault: { code: 'R2052' } } },
      { mark: 'answer', node: 'a', text: 'null' },
      { mark: 'done', node: 'a' },
      { mark: 'enter', node: 'b' },
      { mark: 'wait', node: 'b', text: 'a pause' },
    ])
  })
})

describe('an effect with an unknown outcome', () => {
  const fork: Workflow = {
    id: 'fork',
    entry: 'pay',
    nodes: { pay: { id: 'pay', spec: {} }, left: { id: 'left', spec: {} }, right: { id: 'right', spec: {} } },
    edges: [
      { id: 'to-left', from: 'pay', to: 'left', event: 'LEFT' },
      { id: 'to-right', from: 'pay', to: 'right', event: 'RIGHT' },
    ],
  }

  test('is never repeated after a person answered that it happened, also if several edges are open', async () => {
    let asked = 0
    const agent: RunnableAgent = {
      resolve: ({ node }) => {
        asked++
        return node.id === 'pay' ? new Promise(() => undefined) : Promise.resolve({ type: 'complete' })
      },
      traits: ({ node }) => ({ leaves: node.id === 'pay', repeat: node.id === 'pay' ? 'ask' : 'free' }),
    }
    const store = memoryStore()
    const host = virtualHost()
    const first = open(agent, store, host)
    const begun = await first.runtime.start(first.runtime.programs.add('workflow', 'fork', source(fork)), { id: 'fork-1abc' })
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toBe(1)
    await begun.leave()

    const second = open(agent, store, host)
    const run = await second.runtime.resume('fork-1abc')
    await run.idle()
    const [doubt] = run.state.waits.values()
    await run.answer(doubt?.id ?? '', 'happened', 'ana')
    await run.idle()
    const [way] = run.state.waits.values()
    expect([way?.name, way?.about]).toMatchObject(['way', { options: [{ value: 'to-left' }, { value: 'to-right' }] }])
    await run.answer(way?.id ?? '', 'nowhere')
    await run.idle()
    const [again] = run.state.waits.values()
    expect(again?.name).toBe('way')
    await run.answer(again?.id ?? '', 'RIGHT')
    await run.idle()
    expect([run.status, asked]).toEqual(['completed', 2])
  })
})
