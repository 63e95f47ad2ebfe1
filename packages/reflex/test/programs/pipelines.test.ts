import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex } from '../../src/index.ts'

const dot = (id: string, node = 'work [type="transform"]'): string =>
  `digraph ${id} { start [shape=Mdiamond]; ${node}; done [shape=Msquare]; start -> work -> done }`

function open(files: Readonly<Record<string, string>>): { reflex: Reflex; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-pipelines-'))
  const reflex = new Reflex({ store: 'memory:', workdir: folder })
  onTestFinished(async () => {
    await reflex.close()
    rmSync(folder, { recursive: true, force: true })
  })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return { reflex, folder }
}

test.each([
  ['a file', 'small.dot', dot('small')],
  ['a file of the other ending', 'small.gv', dot('small')],
  [
    'a module that exports text',
    'small.pipeline.ts',
    `export const about = 'not this'\nexport const made = ${JSON.stringify(dot('small'))}\n`,
  ],
  [
    'a module that exports a graph',
    'small.pipeline.ts',
    `import { parse } from ${JSON.stringify(join(import.meta.dirname, '../../src/kinds/pipeline/index.ts'))}\nexport const made = parse(${JSON.stringify(dot('small'))})\n`,
  ],
])('a pipeline is known by the id of its graph: %s', async (_, name, text) => {
  const { reflex, folder } = open({ [name]: text })
  const { program } = await reflex.library.load(join(folder, name))
  expect(program.name).toBe('pipeline:small')
  expect(program.source).toHaveProperty('dot')
})

test('the kind can be said where the name does not tell it', async () => {
  const { reflex, folder } = open({ 'small.txt': dot('small') })
  await expect(reflex.library.load(join(folder, 'small.txt'))).rejects.toMatchObject({ code: 'R1020' })
  expect((await reflex.library.load(join(folder, 'small.txt'), 'pipeline')).program.name).toBe('pipeline:small')
})

test('a module in which the text is wrong is refused as a file would be', async () => {
  const { reflex, folder } = open({ 'bad.pipeline.ts': `export const made = 'digraph bad { a -> }'\n` })
  await expect(reflex.library.load(join(folder, 'bad.pipeline.ts'))).rejects.toMatchObject({ code: 'R1100' })
})

test('a file that a pipeline names is found beside it and above it, and not elsewhere', async () => {
  const { reflex, folder } = open({
    'in/parent.dot': dot('parent', 'work [type="graph.invoke", graph_file="child.dot", timeout="1s"]'),
    'in/deep.dot': dot('deep', 'work [type="graph.invoke", graph_file="parts/leaf.dot", timeout="1s"]'),
    'in/out.dot': dot('out', 'work [type="graph.invoke", graph_file="../other/far.dot", timeout="1s"]'),
    'child.dot': dot('child'),
    'in/parts/leaf.dot': dot('leaf'),
    'other/far.dot': dot('far'),
  })
  const known = (name: string): boolean => reflex.runtime.programs.find(name) !== undefined
  for (const name of ['parent', 'deep', 'out']) await reflex.library.load(join(folder, 'in', `${name}.dot`))
  expect(['pipeline:child.dot', 'pipeline:parts/leaf.dot', 'pipeline:../other/far.dot'].map(known)).toEqual([true, true, false])
})

/** A workflow of one node that calls a program, and brings back one key. */
const calling = (id: string, called: string, key: string): string =>
  JSON.stringify({
    id,
    entry: 'call',
    nodes: {
      call: {
        id: 'call',
        spec: {},
        invokes: { workflowId: called, inputMap: [{ from: 'who', to: 'name' }], returnMap: [{ parentKey: 'said', childKey: key }] },
      },
      leave: { id: 'leave', spec: {}, outputs: [{ key: 'said', guaranteed: false }] },
    },
    edges: [{ id: 'next', from: 'call', to: 'leave', event: 'NEXT' }],
  })

// proves: workflow d-ref-kind
test('a workflow calls a pipeline, and a pipeline a workflow, as programs that are there', async () => {
  const { reflex, folder } = open({
    'outer.workflow.json': calling('outer', 'pipeline:middle', 'greeting'),
    'middle.dot': dot(
      'middle',
      'work [type="graph.invoke", program="workflow:inner", pass_context="name", result_mapping="said:greeting", timeout="9s"]',
    ),
    'inner.workflow.json': calling('inner', 'pipeline:leaf', 'greeting').replace('"who"', '"name"'),
    'leaf.dot': dot('leaf', 'work [type="transform", transform="template", expression="hello {ctx.name}", output_key="greeting"]'),
    'astray.dot': dot('astray', 'work [type="graph.invoke", graph_name="nobody", timeout="9s"]'),
    'lost.workflow.json': calling('lost', 'pipeline:nobody', 'greeting'),
  })
  expect((await reflex.library.checkCalls(join(folder, 'outer.workflow.json'))).findings).toEqual([])
  expect((await reflex.library.checkCalls(join(folder, 'lost.workflow.json'))).findings).toMatchObject([{ code: 'R1053' }])
  expect((await reflex.library.checkCalls(join(folder, 'middle.dot'))).findings.map(({ code }) => code)).not.toContain('R1138')
  const astray = (await reflex.library.checkCalls(join(folder, 'astray.dot'))).findings
  expect(astray.find(({ code }) => code === 'R1138')).toMatchObject({
    path: 'work',
    message: '"work" calls "nobody"; there is no such program',
  })
  const run = await reflex.run(join(folder, 'outer.workflow.json'), { input: { who: 'ana' } })
  await run.idle()
  expect([run.status, run.value]).toEqual(['completed', { said: 'hello ana' }])
})
