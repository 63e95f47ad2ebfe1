import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Reflex, type RunOptions } from '../../src/index.ts'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-nesting-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const around = (attributes: string): string =>
  `digraph a { start [shape=Mdiamond]; done [shape=Msquare]; w [${attributes}]; start -> w -> done }`

const workflow = JSON.stringify({
  id: 'b',
  entry: 'n',
  nodes: { n: { id: 'n', spec: { complete: 'DONE' }, invokes: { workflowId: 'pipeline:a', returnMap: [] } } },
  edges: [],
})

/** The greatest depth of the stack of a run of `a.dot`, and the codes of its failures. */
async function deepest(dot: string, options: RunOptions = {}): Promise<{ depth: number; status: string; codes: readonly string[] }> {
  const workdir = folderWith({ 'a.dot': dot, 'b.workflow.json': workflow })
  const reflex = new Reflex({ workdir, store: 'memory:' })
  onTestFinished(() => reflex.close())
  const handle = await reflex.run(join(workdir, 'a.dot'), options)
  const { records } = await reflex.runtime.history(handle.id)
  const calls = records.filter(({ more }) => more?.call !== undefined || more?.spawn !== undefined).length
  const codes = JSON.stringify(records).match(/R2018/g) ?? []
  return { depth: calls, status: handle.status, codes: [...new Set(codes)] }
}

test.each([
  ['a workflow stands between two pipelines', 'type="graph.invoke", program="workflow:b"'],
  ['a manager begins its own pipeline', 'type="stack.manager_loop", stack.child_dotfile="a.dot", manager.poll_interval="5ms"'],
])('a recursion ends at so many pipelines on one stack where %s', async (_, attributes) => {
  const shallow = await deepest(around(attributes), { pipeline: { depth: 2 } })
  const usual = await deepest(around(attributes))
  expect([shallow.codes, usual.codes]).toEqual([['R2018'], ['R2018']])
  expect(usual.depth).toBeGreaterThan(shallow.depth)
  expect(usual.depth).toBeLessThan(20)
})

test('branches of a pipeline do not count as nested pipelines', async () => {
  const fan = `digraph a { start [shape=Mdiamond]; done [shape=Msquare]; f [shape=component]; j [shape=tripleoctagon]
    w [type="graph.invoke", program="workflow:c"]; x [type=transform, transform=constant, expression=1, output_key=k]
    start -> f; f -> w -> j; f -> x -> j; j -> done }`
  const leaf = JSON.stringify({ id: 'c', entry: 'n', nodes: { n: { id: 'n', spec: { complete: 'DONE' } } }, edges: [] })
  const workdir = folderWith({ 'a.dot': fan, 'c.workflow.json': leaf })
  const reflex = new Reflex({ workdir, store: 'memory:' })
  onTestFinished(() => reflex.close())
  expect((await reflex.run(join(workdir, 'a.dot'), { pipeline: { depth: 1 } })).status).toBe('completed')
})

test('a called program is found below the work folder by its real path, and where the policy lets it be read', async () => {
  const inner = around('type=transform, transform=constant, expression=1, output_key=k').replace('digraph a', 'digraph inner')
  const folder = folderWith({ 'outside.dot': inner, 'work/inner.dot': inner, 'work/deep/x.txt': '', 'elsewhere/y.txt': '' })
  const workdir = join(folder, 'work')
  symlinkSync(join(folder, 'outside.dot'), join(workdir, 'deep/linked.dot'))
  const call = (file: string): string => around(`type="graph.invoke", graph_file="${file}"`)
  const status = async (place: string, file: string, more: ConstructorParameters<typeof Reflex>[0] = {}): Promise<string> => {
    writeFileSync(join(folder, place, 'main.dot'), call(file))
    const reflex = new Reflex({ workdir, store: 'memory:', ...more })
    onTestFinished(() => reflex.close())
    return (await reflex.run(join(folder, place, 'main.dot'))).status
  }
  expect(await status('work', 'inner.dot')).toBe('completed')
  expect(await status('work/deep', 'inner.dot')).toBe('completed')
  expect(await status('work', 'outside.dot')).toBe('failed')
  expect(await status('work/deep', 'linked.dot')).toBe('failed')
  expect(await status('elsewhere', 'outside.dot')).toBe('failed')
  expect(await status('elsewhere', 'inner.dot')).toBe('failed')
  const policy = [{ file: 'p.json', allow: [], deny: ['arbor://fs/read/{work}/inner.dot'] }]
  expect(await status('work/deep', 'inner.dot', { policy })).toBe('failed')
})
