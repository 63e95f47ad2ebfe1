import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEngine, createRegistry, restoreEngine, type Workflow } from '../../src/kinds/workflow/index.ts'
import { reflex, workFolder } from '../cli/worlds.ts'
import { agentOf } from '../kinds/workflow/engine/kit.ts'

const child = (version?: string): Workflow => ({
  id: 'child',
  ...(version === undefined ? {} : { version }),
  entry: 'c',
  nodes: { c: { id: 'c', spec: { writes: { out: version ?? 'none' } } } },
  edges: [],
})

function calling(...references: readonly string[]): Workflow {
  const nodes: Workflow['nodes'] = { end: { id: 'end', spec: {} } }
  for (const [i, workflowId] of references.entries())
    nodes[`n${i}`] = { id: `n${i}`, spec: {}, invokes: { workflowId, returnMap: [{ parentKey: `got${i}`, childKey: 'out' }] } }
  const edges = references.map((_, i) => ({
    id: `e${i}`,
    from: `n${i}`,
    to: i + 1 < references.length ? `n${i + 1}` : 'end',
    event: 'NEXT',
  }))
  return { id: 'caller', entry: 'n0', nodes, edges }
}

function folderWith(programs: Readonly<Record<string, Workflow | string>>): string {
  const folder = workFolder()
  for (const [name, program] of Object.entries(programs))
    writeFileSync(join(folder, name), typeof program === 'string' ? program : JSON.stringify(program))
  return folder
}

// proves: workflow d-ref-version
test('a call with a version gets that version, and one without gets the highest in the folder, also when the run is replayed', async () => {
  const folder = folderWith({
    'caller.workflow.json': calling('child@1.9', 'child', 'workflow:child@1.10'),
    'child-1.9.workflow.json': child('1.9'),
    'child-1.10.workflow.json': child('1.10'),
  })
  expect(await reflex(['run', 'caller.workflow.json'], { folder })).toMatchObject({ code: 0 })
  const { out } = await reflex(['show', 'last', '--json'], { folder })
  expect(out).toMatch(/"got0".*"1\.9"/s)
  const board = [...out.matchAll(/"(got\d)".{0,40}?"(1\.\d+)"/gs)].map(([, key, value]) => [key, value])
  expect(new Map(board as [string, string][])).toEqual(
    new Map([
      ['got0', '1.9'],
      ['got1', '1.10'],
      ['got2', '1.10'],
    ]),
  )
  // A version that comes later changes no run.
  writeFileSync(join(folder, 'child-2.workflow.json'), JSON.stringify(child('2')))
  expect(await reflex(['replay', 'last'], { folder })).toMatchObject({ code: 0 })
})

test('pipelines are found by their version as well', async () => {
  const pipeline = (version: string): string =>
    `digraph sub { version="${version}" start [shape=Mdiamond] t [type=transform, operation=set, key="out", value="${version}"] end [shape=Msquare] start -> t -> end }`
  const folder = folderWith({ 'caller.workflow.json': calling('pipeline:sub@2'), 'a.dot': pipeline('1'), 'b.dot': pipeline('2') })
  const { out } = await reflex(['validate', 'caller.workflow.json', '--json'], { folder })
  expect(JSON.parse(out)).toMatchObject({ errors: 0, warnings: 0 })
})

test('a version that is not there is reported with those that are', async () => {
  const folder = folderWith({ 'caller.workflow.json': calling('child@3'), 'x.workflow.json': child('1'), 'y.workflow.json': child('2') })
  const { out } = await reflex(['validate', 'caller.workflow.json'], { folder })
  expect(out.replace(/\s+/g, ' ')).toContain('invokes "child@3", but there is no such version; there is "child@1", "child@2"')
})

test('a registry holds several versions, and a snapshot stands in the one that was called', async () => {
  const registry = createRegistry({ warn: () => undefined })
  for (const workflow of [child('1'), child('2'), calling('child@1', 'child')]) registry.register(workflow)
  expect(() => registry.register(child('2'))).toThrow('child')
  expect([registry.get('child@1')?.version, registry.get('child')?.version]).toEqual(['1', '2'])
  const engine = createEngine(registry, agentOf())
  await engine.init('caller')
  await engine.step()
  expect(engine.currentWorkflow()?.version).toBe('1')
  const restored = restoreEngine(engine.snapshot(), registry, agentOf())
  expect(restored.currentWorkflow()?.version).toBe('1')
})
