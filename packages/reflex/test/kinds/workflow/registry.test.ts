import { describe, expect, test, vi } from 'vitest'
import { describeFault, isFault } from '../../../src/kernel/journal/fault.ts'
import { createEngine, restoreEngine } from '../../../src/kinds/workflow/engine/create-engine.ts'
import { workflow as typed } from '../../../src/kinds/workflow/model/define.ts'
import { createRegistry, WorkflowRegistry } from '../../../src/kinds/workflow/engine/registry.ts'
import type { DecisionAgent, Guard, ValidationErrorCode, Workflow } from '../../../src/kinds/workflow/types/index.ts'
import { WorkflowValidationError } from '../../../src/kinds/workflow/check/validation-error.ts'
import { workflowOf } from './fixtures.ts'

function refused(workflow: Workflow, registry = createRegistry()): WorkflowValidationError {
  try {
    registry.register(workflow)
  } catch (thrown) {
    if (thrown instanceof WorkflowValidationError) return thrown
  }
  throw new Error('was not refused')
}

const simple = (id: string): Workflow => workflowOf(id, ['a', 'b'], [['a', 'b']])
const calling = (id: string, ...targets: string[]): Workflow =>
  workflowOf(
    id,
    targets.map((_, i) => `call${i}`),
    [],
    Object.fromEntries(targets.map((workflowId, i) => [`call${i}`, { invokes: { workflowId, returnMap: [] } }])),
  )

describe('a registry', () => {
  // proves: workflow 3.3a, workflow r10j, workflow r18n
  test('keeps a frozen copy of each workflow, in the order of registration', () => {
    const registry = createRegistry()
    const [second, first] = [simple('second'), simple('first')]
    registry.register(second)
    registry.register(first)
    expect(registry).toBeInstanceOf(WorkflowRegistry)
    expect(registry.get('first')).toEqual(first)
    expect([registry.get('first') === first, Object.isFrozen(registry.get('first')), Object.isFrozen(first)]).toEqual([false, true, false])
    expect(registry.get('toString')).toBeUndefined()
    expect([registry.has('first'), registry.has('third')]).toEqual([true, false])
    expect(registry.list()).toEqual(['second', 'first'])
  })

  // proves: workflow 1.1a, workflow 1.5a, workflow 3.3b, workflow 3.3c, workflow 3.3d, workflow 3.3e, workflow r7b, workflow r10b
  // proves: workflow r10c, workflow r10d, workflow r10e, workflow r10f, workflow r10g, workflow D15
  test.each<[ValidationErrorCode, Workflow, string, object]>([
    ['EMPTY_WORKFLOW', workflowOf('w', [], []), "Workflow 'w' has no nodes", {}],
    [
      'INVALID_ENTRY_NODE',
      { ...simple('w'), entry: 'E' },
      "Workflow 'w' declares entry node 'E' which does not exist in nodes",
      { entry: 'E' },
    ],
    [
      'NODE_ID_MISMATCH',
      { ...simple('w'), nodes: { a: { id: 'x', spec: {} }, b: { id: 'b', spec: {} } } },
      "Workflow 'w': node dict key 'a' does not match node.id 'x'",
      { key: 'a', nodeId: 'x' },
    ],
    [
      'INVALID_EDGE',
      workflowOf('w', ['a'], [['a', 'c']]),
      "Workflow 'w': edge 'a-c' references non-existent target node 'c'",
      { edgeId: 'a-c', field: 'to', nodeId: 'c' },
    ],
    [
      'INVALID_EDGE',
      workflowOf('w', ['a'], [['c', 'a']]),
      "Workflow 'w': edge 'c-a' references non-existent source node 'c'",
      { edgeId: 'c-a', field: 'from', nodeId: 'c' },
    ],
    [
      'INVALID_EDGE',
      workflowOf(
        'w',
        ['a', 'b'],
        [
          ['a', 'b'],
          ['a', 'b'],
        ],
      ),
      "Workflow 'w': edge id 'a-b' is used by more than one edge",
      { edgeId: 'a-b', field: 'id' },
    ],
    [
      'NO_TERMINAL_NODES',
      workflowOf(
        'w',
        ['a', 'b'],
        [
          ['a', 'b'],
          ['b', 'a'],
        ],
      ),
      "Workflow 'w' has no terminal nodes (every node has outgoing edges)",
      {},
    ],
    [
      'CYCLE_DETECTED',
      workflowOf(
        'w',
        ['a', 'b', 'c'],
        [
          ['a', 'b'],
          ['b', 'a'],
          ['b', 'c'],
        ],
      ),
      "Workflow 'w' contains a cycle involving nodes: a, b",
      { nodesInCycle: ['a', 'b'] },
    ],
    [
      'SCHEMA_VIOLATION',
      { ...simple('w'), edges: undefined } as unknown as Workflow,
      'Workflow \'w\': "edges" must be a list of edges',
      {},
    ],
  ])('refuses with %s', (code, workflow, message, details) => {
    const error = refused(workflow)
    expect(error).toBeInstanceOf(Error)
    expect([error.name, error.code, error.workflowId, error.message]).toEqual(['WorkflowValidationError', code, 'w', message])
    expect(error.details).toEqual(details)
    expect(isFault(error.finding)).toBe(true)
    expect(error.finding.rule).toBe(code)
    expect(String(error)).toBe(describeFault(error.finding))
  })

  // proves: workflow r10a
  test('refuses a registered id before all other checks, and keeps the registered workflow', () => {
    const registry = createRegistry()
    const first = simple('w')
    registry.register(first)
    const error = refused(workflowOf('w', [], []), registry)
    expect([error.code, error.message]).toEqual(['DUPLICATE_WORKFLOW_ID', "Workflow 'w' is already registered"])
    expect(registry.get('w')).toEqual(first)
  })

  test('does not keep a refused workflow, which may be registered again when it is corrected', () => {
    const registry = createRegistry()
    const workflow = workflowOf('w', ['a', 'b'], [['a', 'c']])
    refused(workflow, registry)
    expect(registry.has('w')).toBe(false)
    workflow.edges = [{ id: 'e', from: 'a', to: 'b', event: 'NEXT' }]
    registry.register(workflow)
    expect(registry.has('w')).toBe(true)
  })

  // proves: workflow C4
  test('refuses guards of an unknown type, and accepts a custom guard whose function is set later', () => {
    const workflow = simple('w')
    const [edge] = workflow.edges
    const withGuard = (guard: unknown): Workflow => ({ ...workflow, edges: [{ ...edge, guard: guard as Guard }] as Workflow['edges'] })
    expect(refused(withGuard({ type: 'regex', key: 'k' })).code).toBe('SCHEMA_VIOLATION')
    createRegistry().register(withGuard({ type: 'custom', name: 'later' }))
  })

  // proves: workflow 3.3f, workflow r10i
  test('warns once for each node that invokes an unregistered workflow', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    createRegistry().register(calling('w', 'missing', 'w', 'missing'))
    expect(warn).toHaveBeenCalledTimes(2)
    expect(warn.mock.calls[0]?.[0]).toContain('missing')
  })

  // proves: workflow C10
  test('does not warn about registered targets, or about the workflow itself', () => {
    const warnings: string[] = []
    const registry = createRegistry({ warn: (message) => warnings.push(message) })
    registry.register(simple('child'))
    registry.register(calling('parent', 'child', 'parent'))
    expect(warnings).toEqual([])
  })

  // proves: workflow 6.1e, workflow C13
  test('verifies registered workflows on request', () => {
    const warnings: string[] = []
    const registry = createRegistry({ warn: (message) => warnings.push(message) })
    const workflow = workflowOf('w', ['a', 'b'], [['a', 'b']], { b: { inputs: [{ key: 'total', required: true }] } })
    registry.register(workflow, { verify: true })
    expect(warnings).toEqual([expect.stringMatching(/'w'.*"b" needs "total".*MISSING_REQUIRED_INPUT/)])
  })

  // proves: workflow r10m
  test('does not verify an unknown workflow', () => {
    const registry = createRegistry()
    registry.register(simple('refund'))
    try {
      registry.verify('refnud')
      expect.unreachable()
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(WorkflowValidationError)
      expect(thrown).toMatchObject({
        code: 'WORKFLOW_NOT_FOUND',
        workflowId: 'refnud',
        finding: { code: 'R1051', fix: 'did you mean "refund"?' },
      })
    }
  })
})

describe('replacing a workflow', () => {
  const version = (spec: number): Workflow => {
    const workflow = workflowOf('w', ['a', 'b'], [['a', 'b']])
    for (const node of Object.values(workflow.nodes)) node.spec = { version: spec }
    return workflow
  }
  const agent: DecisionAgent = {
    async resolve({ node, validEdges: [edge] }) {
      const writes = [{ key: node.id, value: node.spec.version ?? 0 }]
      return edge === undefined ? { type: 'complete', writes } : { type: 'advance', edge: edge.id, writes }
    },
  }

  // proves: workflow 6.3d
  test('affects sessions that begin later; a session under way continues with its definitions, also for its calls', async () => {
    const registry = createRegistry()
    registry.register(version(1))
    registry.register({
      id: 'caller',
      entry: 'wait',
      nodes: {
        wait: { id: 'wait', spec: {} },
        call: { id: 'call', spec: {}, invokes: { workflowId: 'w', returnMap: [{ parentKey: 'got', childKey: 'b' }] } },
      },
      edges: [{ id: 'on', from: 'wait', to: 'call', event: 'NEXT' }],
    })
    const [direct, calling, later] = [createEngine(registry, agent), createEngine(registry, agent), createEngine(registry, agent)]
    await direct.init('w')
    await calling.init('caller')
    registry.replace(version(2))
    await direct.run()
    await calling.run()
    await later.init('w')
    await later.run()
    expect([direct.blackboard().get('b'), calling.blackboard().get('got'), later.blackboard().get('b')]).toEqual([1, 1, 2])
    expect(registry.list()).toEqual(['w', 'caller'])
  })

  test('needs a registered one, and keeps it if the new one is invalid', () => {
    const registry = createRegistry()
    expect(() => registry.replace(version(1))).toThrow("Workflow 'w' is not registered")
    registry.register(version(1))
    expect(() => registry.replace(workflowOf('w', ['a'], [['a', 'z']]))).toThrow('non-existent target node')
    expect(registry.get('w')).toEqual(version(1))
  })

  test('registers no callee of an invalid workflow', () => {
    const registry = createRegistry()
    registry.register(version(1))
    const child = typed({ id: 'child', entry: 'c', nodes: { c: {} }, edges: [] })
    const wrong = typed({ id: 'w', entry: 'a', nodes: { a: { invokes: { workflow: child, returnMap: [] } } }, edges: [] })
    wrong.entry = 'nowhere'
    expect(() => registry.replace(wrong)).toThrow("entry node 'nowhere'")
    expect([registry.list(), registry.get('w')]).toEqual([['w'], version(1)])
  })

  test('applies to a restored session', async () => {
    const registry = createRegistry()
    registry.register(version(1))
    const engine = createEngine(registry, agent)
    await engine.init('w')
    const snapshot = engine.snapshot()
    registry.replace(version(2))
    const restored = restoreEngine(snapshot, registry, agent)
    await restored.run()
    expect(restored.blackboard().get('b')).toBe(2)
  })
})
