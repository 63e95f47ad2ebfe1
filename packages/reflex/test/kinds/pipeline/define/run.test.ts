import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse, pipeline, run, serializeGraph } from '../../../../src/kinds/pipeline/index.ts'
import { Reflex } from '../../../../src/app/reflex.ts'
import { recorded, scripted } from '../../../../src/testing/index.ts'
import { workflow } from '../../../../src/kinds/workflow/index.ts'
import { reflex as command } from '../../../cli/worlds.ts'
import { folderOf, REVIEW, review } from './programs.ts'

const letter = pipeline({
  id: 'letter',
  nodes: {
    start: {},
    greet: { type: 'transform', transform: 'constant', expression: 'Dear Ana', output_key: 'greeting' },
    ask: { shape: 'hexagon', label: 'Send it?' },
    end: {},
  },
  edges: [['start', 'greet', 'ask'], { from: 'ask', to: 'end', label: '[Y] Yes' }, { from: 'ask', to: 'greet', label: '[A] Again' }],
})

const MODULE = `import { pipeline } from 'reflex-runtime/pipeline'
export const greeting = pipeline({
  id: 'greeting',
  nodes: { start: {}, greet: { type: 'transform', transform: 'constant', expression: 'Dear Ana', output_key: 'greeting' }, end: {} },
  edges: [['start', 'greet', 'end']],
})
`

function reflexIn(workdir: string): Reflex {
  const reflex = new Reflex({ workdir })
  onTestFinished(() => reflex.close())
  return reflex
}

describe('Reflex', () => {
  test('runs it, and goes on with it in another process', async () => {
    const workdir = folderOf()
    const first = new Reflex({ workdir })
    const asked = await first.run(letter, { id: 'letter-1', input: { to: 'Ana' } })
    expect([asked.status, asked.get('greeting'), asked.questions[0]?.question.text]).toEqual(['suspended', 'Dear Ana', 'Send it?'])
    await first.close()
    const { handle } = await reflexIn(workdir).answer('letter-1', 'Yes')
    await handle?.idle()
    expect([handle?.status, handle?.get('to')]).toEqual(['completed', 'Ana'])
  })

  test('knows it by the hash that its text in DOT has', async () => {
    const reflex = reflexIn(folderOf({ 'review.dot': serializeGraph(parse(REVIEW)) }))
    const made = await reflex.run(review, { simulate: true })
    const read = await reflex.run(join(reflex.workdir, 'review.dot'), { simulate: true })
    expect(made.run.state.pins).toEqual(read.run.state.pins)
    expect(made.questions[0]?.question).toEqual(read.questions[0]?.question)
  })

  test('refuses one with errors before a run begins', async () => {
    const broken = pipeline({ nodes: { start: {}, end: {} }, edges: [{ from: 'start', to: 'end', condition: 'outcome=fail or x=1' }] })
    await expect(reflexIn(folderOf()).run(broken)).rejects.toMatchObject({ code: 'R1108', path: 'edges[0].condition' })
  })

  test('lets other programs call it by its id', async () => {
    const caller = pipeline({
      id: 'caller',
      nodes: { start: {}, call: { type: 'graph.invoke', program: 'greeting', result_mapping: 'greeting:said' }, end: {} },
      edges: [['start', 'call', 'end']],
    })
    const folder = folderOf({
      'greeting.pipeline.ts': MODULE,
      'flow.workflow.ts': `import { workflow } from 'reflex-runtime/workflow'
export const flow = workflow({ id: 'flow', entry: 'a', edges: [],
  nodes: { a: { invokes: { workflow: 'pipeline:greeting', returnMap: [{ parentKey: 'said', childKey: 'greeting' }] } } } })
`,
    })
    const reflex = reflexIn(folder)
    const flow = await reflex.run(join(folder, 'flow.workflow.ts'))
    expect([flow.status, flow.get('said')]).toEqual(['completed', 'Dear Ana'])
    const called = await reflex.run(caller)
    expect([called.status, called.get('said')]).toEqual(['completed', 'Dear Ana'])
  })
})

test('run of the room takes it', async () => {
  const { status, completed_nodes } = await run(letter, { logs_root: false })
  expect([status, completed_nodes]).toEqual(['success', ['start', 'greet', 'ask', 'end']])
})

describe('a test', () => {
  test('plays it, and stops it at every moment', async () => {
    const models = { style: 'Well.', tests: 'Nothing.' }
    const end = await scripted(review, { models, answers: { merge: 'Merge' } }).run({ change: 'a line' })
    expect([end.status, end.path]).toEqual(['completed', expect.arrayContaining(['fan', 'join', 'merge'])])
    const t = scripted(letter, { answers: { ask: 'Yes' } })
    await t.run()
    expect((await t.crashEverywhere()).points).toBeGreaterThan(10)
  })

  test('decides a recorded run of it again, and hears where it would go another way', async () => {
    const reflex = reflexIn(folderOf())
    const { id } = await reflex.run(letter)
    await (await reflex.answer(id, 'Yes')).handle?.idle()
    const lines: string[] = []
    for await (const line of reflex.export(id)) lines.push(line)
    const t = await recorded(lines)
    expect((await t.replay(letter)).status).toBe('completed')
    const other = pipeline({
      id: 'letter',
      nodes: { start: {}, greet: { shape: 'diamond' }, end: {} },
      edges: [['start', 'greet', 'end']],
    })
    await expect(t.replay(other)).rejects.toMatchObject({ code: 'R5041' })
    await expect(t.replay(workflow({ id: 'w', entry: 'a', nodes: { a: {} }, edges: [] }))).rejects.toMatchObject({ code: 'R5043' })
  })
})

describe('the command', () => {
  test('validates, draws and runs the file of one', async () => {
    const folder = folderOf({ 'greeting.pipeline.ts': MODULE })
    const checked = await command(['validate', 'greeting.pipeline.ts'], { folder })
    expect([checked.code, checked.out]).toEqual([0, expect.stringContaining('greeting')])
    const drawn = await command(['graph', 'greeting.pipeline.ts'], { folder })
    expect(drawn.out).toContain('greet')
    const ran = await command(['run', 'greeting.pipeline.ts'], { folder })
    expect([ran.code, ran.out]).toEqual([0, expect.stringContaining('Dear Ana')])
  })

  test('says where in the object a mistake is', async () => {
    const folder = folderOf({ 'greeting.pipeline.ts': MODULE.replace("transform: 'constant'", "transform: 'constnat'") })
    const { out } = await command(['validate', 'greeting.pipeline.ts'], { folder })
    expect(out).toContain('nodes.greet.transform')
    expect(out).toContain('did you mean "constant"?')
  })
})
