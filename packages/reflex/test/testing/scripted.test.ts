import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseDot } from '../../src/kinds/pipeline/index.ts'
import { scripted } from '../../src/testing/index.ts'
import { workflow } from '../../src/kinds/workflow/index.ts'
import { order, refund } from './refund.ts'

const root = resolve(import.meta.dirname, '../../../..')
const tools = { 'orders.get': () => order, 'payments.refund': () => ({ receipt: 'rf_1' }) }

describe('a scripted workflow', () => {
  test('rests at a question, and is answered', async () => {
    const t = scripted(refund, { decide: { decide: 'FULL' }, tools })
    const asked = await t.run({ order_id: 'A-1042' })
    expect(asked.status).toBe('suspended')
    expect(asked.questions.map(({ name, question }) => [name, question.text])).toEqual([['approve', 'Refund it?']])
    expect(asked.get('order')?.total).toBe(84)

    const end = await t.answer('approve', 'YES')
    expect(end.status).toBe('completed')
    expect(end.path).toEqual(['read', 'verify', 'decide', 'approve', 'pay'])
    expect(end.effects).toEqual([
      { what: 'tool', name: 'orders.get', args: {}, key: expect.stringMatching(/:2$/) as string },
      { what: 'decide', name: 'refund/decide', args: 'FULL', key: '' },
      { what: 'tool', name: 'payments.refund', args: {}, key: expect.stringMatching(/:\d+$/) as string },
    ])
    expect(end.records[0]?.input).toEqual(['kernel', 'start'])
    expect(asked.status).toBe('suspended')
  })

  test('decides and answers from a list in order, or from a function', async () => {
    const round = workflow({
      id: 'round',
      entry: 'look',
      nodes: { look: { spec: { prompt: 'Good?' } }, ask: { spec: { ask: 'Sure?', writes: 'sure' } }, skip: {} },
      edges: [
        { from: 'look', to: 'ask', event: 'GOOD' },
        { from: 'look', to: 'skip', event: 'BAD' },
      ],
    })
    const invokes = { workflow: round, returnMap: [{ parentKey: 'sure', childKey: 'sure' }] }
    const search = workflow({
      id: 'search',
      entry: 'first',
      nodes: { first: { invokes }, second: { invokes }, third: { invokes }, judge: { spec: { prompt: 'Enough?' } }, yes: {}, no: {} },
      edges: [
        { from: 'first', to: 'second' },
        { from: 'second', to: 'third' },
        { from: 'third', to: 'judge' },
        { from: 'judge', to: 'yes', event: 'YES' },
        { from: 'judge', to: 'no', event: 'NO' },
      ],
    })
    const look = ['GOOD', 'BAD', { go: 'GOOD', because: 'the third time' }]
    const t = scripted(search, {
      decide: {
        'round/look': look,
        judge: ({ blackboard, validEdges }) => (validEdges.length === 2 && blackboard.get('sure') === 'very' ? 'YES' : 'NO'),
      },
      answers: { ask: ['a little', 'very'] },
    })
    const end = await t.run()
    expect(end.path).toEqual(['first', 'second', 'third', 'judge', 'yes'])
    await t.crashEverywhere()

    const short = await scripted(search, { decide: { 'round/look': ['BAD'] } }).run()
    expect(short.questions[0]?.fault?.code).toBe('R2121')
    let asked = 0
    const once = scripted(search, { decide: { 'round/look': 'GOOD' }, answers: { ask: () => (++asked < 2 ? 'a little' : undefined) } })
    expect((await once.run()).path).toEqual(['first', 'second'])
    expect(asked).toBe(2)
  })

  test('the replies of models come only from the script', async () => {
    const models = { decide: { object: { edge: 'NO', because: 'It arrived.' } } }
    expect((await scripted(refund, { models, tools }).run()).path.at(-1)).toBe('decline')
    const silent = await scripted(refund, { tools }).run()
    expect(silent.questions[0]?.fault).toMatchObject({ code: 'R4020', message: expect.stringContaining('refund/decide') as string })
  })

  test('time stands still until the test advances it', async () => {
    const t = scripted(refund, { decide: { decide: 'FULL' }, tools, now: '2030-01-01' })
    const { questions } = await t.run()
    expect(questions[0]?.due).toBe(Date.UTC(2030, 0, 4))
    expect((await t.after('71h')).status).toBe('suspended')
    expect((await t.after('1h')).path.at(-1)).toBe('decline')
    await expect(t.after('soon')).rejects.toThrow('"soon" is not a duration')
  })

  test('a model that never answers meets its deadline', async () => {
    const t = scripted(refund, { models: { decide: () => new Promise<never>(() => undefined) }, tools })
    expect((await t.run()).status).toBe('running')
    expect((await t.after('2m')).questions[0]?.fault?.code).toBe('R4013')
  })

  test('a tool that throws is a failure, and no other machine is called', async () => {
    const failing = scripted(refund, { tools: { 'orders.get': () => Promise.reject(new Error('no such order')) } })
    expect((await failing.run()).questions[0]?.fault?.message).toContain('no such order')
    const fetches = workflow({
      id: 'fetches',
      entry: 'get',
      nodes: { get: { spec: { tool: 'http', args: { url: 'http://192.0.2.1/' }, writes: 'page' } } },
      edges: [],
    })
    expect((await scripted(fetches, { trust: 'autonomous' }).run()).questions[0]?.fault?.code).toBe('R3001')
    const t = scripted(fetches, { tools: { http: () => ({ status: 200 }) }, policy: [{ allow: ['arbor://net/192.0.2.1'], deny: [] }] })
    expect((await t.run()).get('page')).toEqual({ status: 200 })
  })

  test('a file is a program like any other', async () => {
    const t = scripted(resolve(root, 'examples/02-refund/refund.workflow.json'), {
      workdir: root,
      models: { decide: { object: { edge: 'FULL', because: 'It is lost.' } }, tell: 'Dear Ana' },
      tools: { 'file.write': () => ({ path: 'refund.txt', bytes: 20, lines: 1 }) },
      answers: { approve: 'YES' },
    })
    const end = await t.run({ order_id: 'A-1042' })
    expect(end.status).toBe('completed')
    expect(end.effects.map(({ name }) => name)).toEqual(['json.read', 'json.read', 'refund/decide', 'file.write', 'refund/tell'])
    expect((await t.crashEverywhere()).points).toBeGreaterThan(40)
  })
})

describe('a script that does not match its program', () => {
  test('names the node or edge that does not exist, and the nearest name', async () => {
    // @ts-expect-error -- no node of this workflow
    expect(() => scripted(refund, { decide: { decde: 'FULL' } })).toThrow(/a decision for "decde".*did you mean "decide"/)
    expect(() => scripted(refund, { decide: { decide: 'FUL' } })).toThrow(/no edge "FUL" leaves decide; did you mean "FULL"/)
    expect(() => scripted(refund, { decide: { 'identity/match': { writes: { verdict: 'odd' } } } })).not.toThrow()
    await expect(
      scripted('digraph p { start [shape=Mdiamond] done [shape=Msquare] start -> done }', { decide: { gone: 'X' } }).run(),
    ).rejects.toThrow('"gone"')
  })

  test('answers only open questions', async () => {
    const t = scripted(refund, { decide: { decide: 'FULL' }, tools })
    await expect(t.answer('approve', 'YES')).rejects.toThrow('call run() first')
    await t.run()
    await expect(t.answer('aprove', 'YES')).rejects.toThrow('no question aprove is open: approve; did you mean "approve"')
    await expect(t.answer('approve', 'PERHAPS')).rejects.toMatchObject({ code: 'R4200' })
  })
})

describe('a scripted pipeline', () => {
  const text = `digraph letter {
    start [shape=Mdiamond]
    draft [prompt="Write to the customer.", output_key="draft"]
    check [type="shell", command="wc -w letter.txt", output_key="words"]
    gate  [shape=hexagon, label="Send it?", "human.timeout_seconds"=86400, "human.default_choice"="No"]
    send  [type="shell", command="mail ana < letter.txt"]
    done  [shape=Msquare]
    start -> draft -> check -> gate
    gate -> send [label="[Y] Yes"]
    gate -> done [label="[N] No"]
    send -> done
  }`

  test.each([
    ['text', text],
    ['a graph', parseDot(text).graph as object],
  ])('from %s', async (_, program) => {
    const commands: unknown[] = []
    const t = scripted(program, {
      models: { draft: 'Dear Ana' },
      tools: {
        shell: ({ command }) => {
          commands.push(command)
          return { code: 0, stdout: '2 letter.txt', stderr: '' }
        },
      },
    })
    const asked = await t.run()
    expect(asked.questions.map(({ question }) => question.text)).toEqual(['Send it?'])
    const end = await t.answer('gate', 'Yes')
    expect(end.failure).toBeUndefined()
    expect(end.path).toEqual(['draft', 'check', 'gate', 'send'])
    expect(commands).toEqual(['wc -w letter.txt', 'mail ana < letter.txt'])
    await t.crashEverywhere()
    expect(commands).toHaveLength(2)
    await t.run()
    expect((await t.after('1d')).path).not.toContain('send')
  })

  test('runs loops and branches, and its script keeps its position when the process dies', async () => {
    const t = scripted(
      `digraph rounds {
        start [shape=Mdiamond]
        fan   [shape=component]
        left  [prompt="Look left."]
        right [prompt="Look right."]
        join  [shape=tripleoctagon]
        draft [prompt="Write.", output_key="draft"]
        gate  [shape=hexagon, label="Good?"]
        done  [shape=Msquare]
        start -> fan
        fan -> left -> join
        fan -> right -> join
        join -> draft -> gate
        gate -> draft [label="[A] Again"]
        gate -> done [label="[G] Good"]
      }`,
      { models: { left: 'a tree', right: 'a house', draft: ['one', 'two', 'three'] }, answers: { gate: ['Again', 'Again', 'Good'] } },
    )
    const end = await t.run()
    expect(end.failure).toBeUndefined()
    expect(end.path).toEqual(['fan', 'join', 'draft', 'gate', 'draft', 'gate', 'draft', 'gate'])
    expect(end.get('draft')).toBe('three')
    await t.crashEverywhere()
  })
})
