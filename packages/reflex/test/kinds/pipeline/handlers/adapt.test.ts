import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../src/kernel/index.ts'
import { quoted } from '../../../../src/kinds/pipeline/dot/literal.ts'
import { authorOf } from '../../../../src/kinds/pipeline/model/program-author.ts'
import { runDot, told, type Went, type World } from '../engine/harness.ts'

const TIERS = ['untrusted', 'probationary', 'trusted', 'veteran', 'autonomous']
const CONSTANT = { type: 'transform', transform: 'constant', expression: 'yes', output_key: 'got' }

/** A pipeline that changes itself, with a step behind and one that nothing leads on from. */
const changing = (mutations: Json, more = '', graph = ''): string => `digraph g {
  ${graph}
  start [shape=Mdiamond]
  change [type=adapt, mutations=${quoted(typeof mutations === 'string' ? mutations : JSON.stringify(mutations))} ${more}]
  step [type=transform, transform=constant, expression="as written", output_key=step]
  loose [type=transform, transform=constant, expression=loose, output_key=loose]
  done [shape=Msquare]
  start -> change -> step -> done
  step -> loose [condition="context.never=1"]
}`

const run = (mutations: Json, world: World = {}, more = ''): Promise<Went> =>
  runDot(changing(mutations, more), { trust: 'autonomous', ...world })

const versions = ({ run: { state } }: Went): string[] => state.pins.map(([name]) => name)

// proves: pipeline 12.110, pipeline s14.3a, pipeline s14.2a
describe('the changes that each tier allows', () => {
  const operations: Readonly<Record<string, { readonly op: JsonObject; readonly from: string }>> = {
    modify_attrs: { op: { op: 'modify_attrs', id: 'step', attrs: { expression: 'changed' } }, from: 'probationary' },
    add_edge: { op: { op: 'add_edge', from: 'change', to: 'loose' }, from: 'trusted' },
    remove_edge: { op: { op: 'remove_edge', from: 'step', to: 'loose' }, from: 'trusted' },
    add_node: { op: { op: 'add_node', id: 'extra', attrs: CONSTANT }, from: 'veteran' },
    'remove_node of a leaf': { op: { op: 'remove_node', id: 'loose' }, from: 'veteran' },
    'remove_node of another': { op: { op: 'remove_node', id: 'step' }, from: 'autonomous' },
  }
  for (const [name, { op, from }] of Object.entries(operations))
    for (const tier of TIERS)
      test(`${tier}, ${name}`, async () => {
        // An edge in place of the node that goes, so that the exit can still be reached.
        const went = await run(name === 'remove_node of another' ? [op, { op: 'add_edge', from: 'change', to: 'done' }] : [op], {
          trust: tier,
        })
        const allowed = TIERS.indexOf(tier) >= TIERS.indexOf(from)
        expect(went.status).toBe(allowed ? 'success' : 'failed')
        expect(versions(went)).toEqual(allowed ? ['pipeline:g', 'pipeline:g~v1'] : ['pipeline:g'])
        if (!allowed) expect(went.reason).toContain(`is not allowed at the tier ${tier}`)
      })

  test('a word that is no tier is the least', async () => {
    expect((await run([operations['modify_attrs']?.op ?? null], { trust: 'root' })).reason).toContain('tier untrusted')
  })

  // proves: pipeline 9h
  test('the session can lower the tier and never raise it', async () => {
    const modify = [operations['modify_attrs']?.op ?? null]
    expect((await run(modify, { values: { 'session.trust_tier': 'untrusted' } })).status).toBe('failed')
    expect(
      (await run([operations['add_node']?.op ?? null], { trust: 'probationary', values: { 'session.trust_tier': 'autonomous' } })).status,
    ).toBe('failed')
  })

  // proves: pipeline 9g
  test('trust_tier is the least tier for the node to run at all', async () => {
    const modify = [operations['modify_attrs']?.op ?? null]
    expect((await run(modify, { trust: 'trusted' }, ', trust_tier=veteran')).reason).toContain('needs the tier veteran; this is trusted')
    expect((await run(modify, { trust: 'veteran' }, ', trust_tier=veteran')).status).toBe('success')
    expect((await run(modify, { trust: 'veteran' }, ', trust_tier=root')).status).toBe('failed')
  })

  const VALUES: Readonly<Record<string, string | number>> = { max_mutations: 4, type: 'transform', capabilities: 'arbor://a/b' }
  // proves: pipeline 5.6e
  test.each(['type', 'tool_command', 'skip_middleware', 'capabilities', 'tool_hooks.pre', 'program', 'max_mutations'])(
    '%s can be changed by nobody below autonomous',
    async (key) => {
      const op = { op: 'modify_attrs', id: 'loose', attrs: { [key]: VALUES[key] ?? 'x' } }
      expect((await run([op], { trust: 'veteran' })).reason).toContain(`${key} of loose cannot be changed at the tier veteran`)
      expect((await run([op])).status).toBe('success')
    },
  )
})

describe('what changes', () => {
  // proves: pipeline s14.5a, pipeline 9l, pipeline 9m, pipeline s4.2a
  test('the way on is already one of the changed pipeline', async () => {
    const went = await run([
      { op: 'add_node', id: 'extra', attrs: { ...CONSTANT, prompt: 'for $goal' } },
      { op: 'remove_edge', from: 'change', to: 'step' },
      { op: 'add_edge', from: 'change', to: 'extra' },
      { op: 'add_edge', from: 'extra', to: 'step', attrs: { label: 'on' } },
    ])
    expect(went.trail).toEqual(['start', 'change', 'extra', 'step', 'done'])
    expect(went.context).toMatchObject({ got: 'yes', 'adapt.change.version': 1, 'adapt.change.applied_ops': 4 })
    expect(Object.keys(went.context).filter((key) => key.startsWith('__'))).toEqual([])
    expect(told(went, 'graph_adapted')).toEqual([
      {
        node_id: 'change',
        version: 1,
        ops: 4,
        changes: ['+ extra', '+ change -> extra', '+ extra -> step [on]', '- change -> step'],
      },
    ])
  })

  // proves: pipeline 9d
  test('an attribute is changed, a null takes one away', async () => {
    const went = await run([{ op: 'modify_attrs', id: 'step', attrs: { expression: 'changed', output_key: null } }])
    expect(went.context['transform.step']).toBe('changed')
    expect(told(went, 'graph_adapted')[0]?.['changes']).toEqual(['~ step'])
  })

  // proves: pipeline 9f
  test('one of several edges goes by its label', async () => {
    const dot = (selector: object): string =>
      changing([
        { op: 'remove_edge', from: 'change', to: 'loose', ...selector },
        { op: 'add_edge', from: 'loose', to: 'done' },
      ]).replace('start -> change', 'change -> loose [label=a, weight=5] change -> loose [label=b, weight=4] start -> change')
    const trail = async (selector: object): Promise<readonly string[]> => (await runDot(dot(selector), { trust: 'autonomous' })).trail
    expect(await trail({ label: 'a' })).toContain('loose')
    expect(await trail({})).not.toContain('loose')
  })

  // proves: pipeline 9j
  test('new nodes have the stylesheet and the variables of the pipeline', async () => {
    const op = { op: 'add_node', id: 'ask', attrs: { prompt: 'reach $goal', class: 'deep' } }
    const edges = [
      { op: 'remove_edge', from: 'change', to: 'step' },
      { op: 'add_edge', from: 'change', to: 'ask' },
      { op: 'add_edge', from: 'ask', to: 'step' },
    ]
    const asked: JsonObject[] = []
    const went = await runDot(changing([op, ...edges], '', 'goal="the top" model_stylesheet=".deep { llm_model: big; }"'), {
      trust: 'autonomous',
      ports: {
        model: {
          leaves: false,
          repeat: 'free',
          perform: ({ args }) => {
            asked.push(args as JsonObject)
            return { text: 'ok', model: 'test:big', finish: 'stop', usage: { input: 1, output: 1 }, tries: 1 }
          },
        },
      },
    })
    expect(went.status).toBe('success')
    expect(asked).toEqual([expect.objectContaining({ model: 'big' })])
    expect(JSON.stringify(asked[0]?.['messages'])).toContain('reach the top')
  })

  test('a pipeline may change twice, each time from what it has become', async () => {
    const again = { type: 'adapt', mutations: JSON.stringify([{ op: 'modify_attrs', id: 'step', attrs: { expression: 'twice' } }]) }
    const went = await run([
      { op: 'add_node', id: 'again', attrs: again },
      { op: 'remove_edge', from: 'change', to: 'step' },
      { op: 'add_edge', from: 'change', to: 'again' },
      { op: 'add_edge', from: 'again', to: 'step' },
    ])
    expect(went.context).toMatchObject({ step: 'twice', 'adapt.again.version': 2 })
    expect(versions(went)).toEqual(['pipeline:g', 'pipeline:g~v1', 'pipeline:g~v2'])
  })

  test('a program that is called again begins as it was written', async () => {
    const child = changing([
      { op: 'add_node', id: 'extra', attrs: CONSTANT },
      { op: 'add_edge', from: 'step', to: 'extra' },
    ]).replace('digraph g', 'digraph c')
    const went = await runDot(
      `digraph g { start [shape=Mdiamond] one [type="graph.invoke", program=c] two [type="graph.invoke", program=c] done [shape=Msquare]
       start -> one -> two -> done }`,
      { trust: 'autonomous', programs: { c: child } },
    )
    expect(went.status).toBe('success')
    expect(told(went, 'graph_adapted').map(({ version }) => version)).toEqual([1, 1])
  })

  // proves: pipeline 4.6.3d
  test('a text that nobody vouches for stays one, however it changes', async () => {
    const text = changing([{ op: 'modify_attrs', id: 'step', attrs: { expression: 'changed' } }])
    const went = await runDot(
      'digraph g { start [shape=Mdiamond] one [type="graph.compose", source_key=text] done [shape=Msquare] start -> one -> done }',
      { trust: 'autonomous', values: { text } },
    )
    expect(versions(went)).toEqual(['pipeline:g', 'pipeline:g.one', 'pipeline:g.one~v1'])
    expect([0, 1, 2].map((pin) => authorOf(went.run.definition(pin)))).toEqual([undefined, 'untrusted', 'untrusted'])
  })

  test('branches that wait in a fan-out go on over edges that have other numbers now', async () => {
    const went = await runDot(
      `digraph g { start [shape=Mdiamond] fan [type=transform, transform=constant, expression=x, fan_out=true]
       change [type=adapt, mutations=${quoted(
         JSON.stringify([
           { op: 'remove_edge', from: 'start', to: 'fan' },
           { op: 'remove_node', id: 'gone' },
         ]),
       )}]
       gone [type=transform, transform=constant, expression=x] kept [type=transform, transform=constant, expression=x, output_key=kept]
       done [shape=Msquare] start -> fan; fan -> change -> done; fan -> gone -> done; fan -> kept -> done }`,
      { trust: 'autonomous' },
    )
    expect(went.status).toBe('success')
    expect(went.trail).toEqual(['start', 'fan', 'change', 'kept', 'done'])
  })

  test('whatever stands in a value stays a value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom('x"] ; evil [type=tool', '\\', '\\"', '<b>', '// x', 'a\nb', '}', 'digraph'),
        ),
        async (text) => {
          fc.pre(text.isWellFormed() && !text.includes('\u0000'))
          const went = await run([{ op: 'modify_attrs', id: 'step', attrs: { expression: text.replaceAll(/[{}]/g, ''), label: text } }])
          expect(went.status).toBe('success')
          expect(went.context['step']).toBe(text.replaceAll(/[{}]/g, ''))
          const root = went.run.definition(went.run.state.root.pin) as {
            graph: { nodes: ReadonlyMap<string, { attributes: ReadonlyMap<string, { value: Json }> }> }
          }
          expect([...root.graph.nodes.keys()].sort()).toEqual(['change', 'done', 'loose', 'start', 'step'])
          expect(root.graph.nodes.get('step')?.attributes.get('label')?.value).toBe(text)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('what is refused, all of it', () => {
  const fine = { op: 'modify_attrs', id: 'step', attrs: { expression: 'changed' } }
  // proves: pipeline 9a, pipeline 9b, pipeline 9c, pipeline 9d, pipeline 9e, pipeline 9i, pipeline s14.1a
  test.each<[string, Json, string]>([
    ['no list', { op: 'add_node' }, 'not a list'],
    ['an empty list', [], 'there are no mutations'],
    ['something else in the list', [fine, 'x'], 'mutation 2 is not an object'],
    ['an operation that nothing knows', [fine, { op: 'add_nod', id: 'x' }], 'did you mean "add_node"?'],
    ['a field that is missing', [fine, { op: 'add_edge', from: 'step' }], 'has no to'],
    ['an id that is none', [{ op: 'add_node', id: 'a b' }], '"a b" is not a valid id'],
    ['a keyword as id', [{ op: 'add_node', id: 'Node' }], 'is not a valid id'],
    ['a node that is there', [fine, { op: 'add_node', id: 'step' }], 'exists already'],
    ['a node that is not there', [fine, { op: 'modify_attrs', id: 'nobody', attrs: { label: 'x' } }], 'no node nobody'],
    ['a node that is completed', [fine, { op: 'modify_attrs', id: 'start', attrs: { label: 'x' } }], 'start is completed'],
    ['the node itself', [{ op: 'modify_attrs', id: 'change', attrs: { label: 'x' } }], 'is being executed'],
    ['the start', [fine, { op: 'remove_node', id: 'start' }], 'start'],
    ['the exit', [fine, { op: 'remove_node', id: 'done' }], 'is the exit'],
    ['an edge to nowhere', [fine, { op: 'add_edge', from: 'step', to: 'nobody' }], 'no node nobody'],
    [
      'an edge to a node that goes',
      [
        { op: 'add_edge', from: 'change', to: 'loose' },
        { op: 'remove_node', id: 'loose' },
        { op: 'add_edge', from: 'change', to: 'loose' },
      ],
      'no node loose',
    ],
    ['an edge out of the exit', [{ op: 'add_edge', from: 'done', to: 'step' }], 'leaves the exit'],
    ['an edge into the start', [{ op: 'add_edge', from: 'step', to: 'start' }], 'leads to the start'],
    [
      'a condition that is none',
      [{ op: 'add_edge', from: 'step', to: 'done', attrs: { condition: 'a = = b' } }],
      'the condition of step -> done',
    ],
    ['an edge that is not there', [fine, { op: 'remove_edge', from: 'start', to: 'done' }], 'no such edge'],
    ['a value that is none', [{ op: 'modify_attrs', id: 'step', attrs: { label: ['x'] } }], 'is not text, a number or a boolean'],
    ['a name that is none', [{ op: 'modify_attrs', id: 'step', attrs: { 'a"]': 'x' } }], 'not a valid attribute name'],
    [
      'a pipeline with errors',
      [
        fine,
        { op: 'add_edge', from: 'step', to: 'done', attrs: { condition: 'outcome=sucess' } },
        { op: 'modify_attrs', id: 'loose', attrs: { type: 'start' } },
      ],
      'has errors',
    ],
  ])('%s', async (_, mutations, reason) => {
    const went = await run(mutations)
    expect(went.status).toBe('failed')
    expect(went.reason).toContain(reason)
    expect(versions(went)).toEqual(['pipeline:g'])
  })

  // proves: pipeline s14.4b, pipeline 9a
  test('more than max_mutations', async () => {
    const many = Array.from({ length: 11 }, (_, i) => ({ op: 'add_node', id: `n${i}`, attrs: CONSTANT }))
    expect((await run(many)).reason).toContain('11 mutations are more than the 10')
    expect((await run(many, {}, ', max_mutations=11')).status).toBe('success')
  })

  // proves: pipeline 9k
  test('a change inside a branch, and of what branches have executed', async () => {
    const block = (
      inside: string,
      behind: string,
    ): string => `digraph g { start [shape=Mdiamond] fork [shape=component] join [shape=tripleoctagon]
      a [${inside}] b [type=transform, transform=constant, expression=x] then [${behind}] done [shape=Msquare]
      start -> fork; fork -> a -> join; fork -> b -> join; join -> then -> done }`
    const adapt = `type=adapt, mutations=${quoted(JSON.stringify([{ op: 'modify_attrs', id: 'b', attrs: { expression: 'y' } }]))}`
    const plain = 'type=transform, transform=constant, expression=x'
    const inside = await runDot(block(adapt, plain), { trust: 'autonomous' })
    expect(told(inside, 'stage_failed')[0]?.['error']).toContain('a branch cannot change its pipeline')
    expect((await runDot(block(plain, adapt), { trust: 'autonomous' })).reason).toContain('b is completed')
  })

  test('what the network says; what a model says is noted', async () => {
    const mutations = JSON.stringify([{ op: 'modify_attrs', id: 'step', attrs: { expression: 'changed' } }])
    const fed = (by: string): string =>
      changing('', ', mutations_key=plan').replace('start -> change', `feed [${by}, output_key=plan] start -> feed -> change`)
    const ports: World['ports'] = {
      tool: { leaves: false, repeat: 'free', perform: () => ({ status: 200, headers: {}, body: mutations, text: mutations }) },
      model: {
        leaves: false,
        repeat: 'free',
        perform: () => ({ text: mutations, model: 'test:model', finish: 'stop', usage: { input: 1, output: 1 }, tries: 1 }),
      },
    }
    const net = await runDot(fed('type=read, source=api, url="https://example.org/plan"'), { trust: 'autonomous', ports })
    expect(net.reason).toContain('it would decide what runs')
    const model = await runDot(fed('prompt=plan'), { trust: 'autonomous', ports })
    expect(model.reason).toContain('the mutations come from feed (derived), and nobody has reviewed them')
    expect(told(model, 'taint_control')).toEqual([expect.objectContaining({ node_id: 'change', key: 'plan', level: 'derived' })])
  })
})

describe('a dry run', () => {
  // proves: pipeline 12.111, pipeline s14.4c
  test('checks everything and changes nothing', async () => {
    const op = { op: 'modify_attrs', id: 'step', attrs: { expression: 'changed' } }
    const went = await run([op], {}, ', dry_run="true"')
    expect(went.context).toMatchObject({ step: 'as written', 'adapt.change.dry_run': true, 'adapt.change.valid_ops': 1 })
    expect(versions(went)).toEqual(['pipeline:g'])
    expect(told(went, 'stage_completed').find(({ node_id }) => node_id === 'change')?.['notes']).toBe('1 mutation valid, none applied')
    expect((await run([op, { op: 'remove_node', id: 'done' }], {}, ', dry_run=true')).status).toBe('failed')
  })
})

describe('what a changed pipeline needs', () => {
  const ops = (command: string): Json => [
    { op: 'add_node', id: 'extra', attrs: { type: 'tool', tool_command: command } },
    { op: 'remove_edge', from: 'change', to: 'step' },
    { op: 'add_edge', from: 'change', to: 'extra' },
    { op: 'add_edge', from: 'extra', to: 'step' },
  ]

  // proves: pipeline 9i
  test('the operator is asked for it before the next node', async () => {
    const went = await run(ops('rm -rf /'), { refuses: (capability) => (capability.includes('shell') ? 'the test' : undefined) })
    expect(went.reason).toContain('is not granted (the test denies it)')
    expect(went.trail).toEqual(['start', 'change', 'extra'])
  })

  test('a restart of the whole does not forget to ask', async () => {
    const dot = changing(ops('rm -rf /')).replace(
      'change -> step',
      'change -> start2 [loop_restart=true, weight=9] start2 [type=transform, transform=constant, expression=x] start2 -> extra0 extra0 [type=branch] extra0 -> done change -> step',
    )
    const went = await runDot(dot, { trust: 'autonomous' })
    expect(went.run.records.filter(({ input }) => input?.[0] === 'permits')).toHaveLength(2)
  })

  test('a node that nothing leads to yet is no error', async () => {
    const went = await run([
      { op: 'add_node', id: 'later', attrs: CONSTANT },
      { op: 'add_edge', from: 'later', to: 'done' },
    ])
    expect(went.status).toBe('success')
  })
})
