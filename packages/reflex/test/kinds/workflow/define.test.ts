import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { Reflex } from '../../../src/app/reflex.ts'
import { serializeWorkflow, workflow, WorkflowValidationError } from '../../../src/kinds/workflow/index.ts'
import { calledWorkflows } from '../../../src/kinds/workflow/model/define.ts'
import { loadWorkflow } from '../../../src/kinds/workflow/file/load.ts'
import { validateWorkflow } from '../../../src/kinds/workflow/check/validate.ts'
import { caught, registryOf } from './engine/kit.ts'

const identity = workflow({
  id: 'identity',
  entry: 'match',
  board: { verdict: z.string() },
  nodes: { match: { spec: { writes: { verdict: 'sure' } } } },
  edges: [],
})

const refund = workflow({
  id: 'refund',
  entry: 'read',
  board: { order: z.object({ id: z.string(), total: z.number() }), identity: z.string() },
  nodes: {
    read: { spec: { writes: { order: { id: 'A-1042', total: 84 } } } },
    verify: {
      invokes: {
        workflow: identity,
        returnMap: [{ parentKey: 'identity', childKey: 'verdict' }],
        inputMap: [{ from: 'order', to: 'verdict' }],
      },
    },
    decide: { description: 'In full?', outputs: [{ key: 'order', guaranteed: true }] },
    other: { invokes: { workflow: 'tree:watch' } },
  },
  edges: [
    { from: 'read', to: 'verify' },
    { from: 'verify', to: 'decide', event: 'SURE', guard: { type: 'exists', key: 'identity' } },
    { id: 'mine', from: 'verify', to: 'other', event: 'NO' },
  ],
})

describe('a workflow from an object literal', () => {
  // proves: workflow 2.1a
  test('is a workflow of the seed', () => {
    const { board: _, ...data } = refund
    expect(data).toEqual({
      id: 'refund',
      entry: 'read',
      nodes: {
        read: { id: 'read', spec: { writes: { order: { id: 'A-1042', total: 84 } } } },
        verify: {
          id: 'verify',
          spec: {},
          invokes: {
            workflowId: 'identity',
            returnMap: [{ parentKey: 'identity', childKey: 'verdict' }],
            inputMap: [{ from: 'order', to: 'verdict' }],
          },
        },
        decide: { id: 'decide', spec: {}, description: 'In full?', outputs: [{ key: 'order', guaranteed: true }] },
        other: { id: 'other', spec: {}, invokes: { workflowId: 'tree:watch', returnMap: [] } },
      },
      edges: [
        { id: 'read:NEXT', from: 'read', to: 'verify', event: 'NEXT' },
        { id: 'verify:SURE', from: 'verify', to: 'decide', event: 'SURE', guard: { type: 'exists', key: 'identity' } },
        { id: 'mine', from: 'verify', to: 'other', event: 'NO' },
      ],
    })
    expect(validateWorkflow(refund)).toEqual([])
    expect(serializeWorkflow(loadWorkflow(serializeWorkflow(refund)))).toBe(serializeWorkflow(refund))
  })

  test('with two edges of the same generated id is refused when it is checked', () => {
    const twice = workflow({
      id: 'twice',
      entry: 'a',
      nodes: { a: {}, b: {}, c: {} },
      edges: [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'c' },
      ],
    })
    const message = 'two edges from "a" have the event "NEXT": to "b" and to "c"'
    expect(validateWorkflow(twice)).toMatchObject([
      { code: 'R1044', message, file: import.meta.filename, line: expect.any(Number) as number },
    ])
  })

  test('that calls an undefined workflow is refused', async () => {
    const thrown = await caught(() =>
      workflow({ id: 'early', entry: 'a', nodes: { a: { invokes: { workflow: undefined as never } } }, edges: [] }),
    )
    expect(thrown).toMatchObject({ code: 'R1060', path: 'early/a' })
  })

  test('has the workflows that it calls, callees first', () => {
    const outer = workflow({
      id: 'outer',
      entry: 'a',
      nodes: { a: { invokes: { workflow: refund } }, b: { invokes: { workflow: identity } } },
      edges: [{ from: 'a', to: 'b' }],
    })
    expect(calledWorkflows(outer).map(({ id }) => id)).toEqual(['identity', 'refund'])
    expect(calledWorkflows(JSON.parse(JSON.stringify(identity)) as never)).toEqual([])
  })
})

describe('a registry', () => {
  test('registers called workflows once, and accepts them by themselves later', () => {
    const registry = registryOf(refund)
    expect(registry.list()).toEqual(['identity', 'refund'])
    registry.register(identity)
    expect(() => registry.register(identity)).toThrow(WorkflowValidationError)
    expect(registryOf(identity, refund).list()).toEqual(['identity', 'refund'])
  })

  test('registers none of them if one is invalid', async () => {
    const broken = workflow({
      id: 'broken',
      entry: 'a',
      nodes: { a: { invokes: { workflow: identity } } },
      edges: [{ from: 'a', to: 'a' }],
    })
    const registry = registryOf()
    await caught(() => registry.register(broken))
    expect(registry.list()).toEqual([])
  })

  test('refuses two of the same id', () => {
    const other = workflow({ id: 'identity', entry: 'x', nodes: { x: {} }, edges: [] })
    expect(() => registryOf(other, refund)).toThrow("Workflow 'identity' is already registered")
  })
})

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-define-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  symlinkSync(resolve(import.meta.dirname, '../../../../../node_modules'), join(path, 'node_modules'))
  return path
}

const caller = workflow({
  id: 'caller',
  entry: 'go',
  board: { said: z.string(), total: { type: 'number' }, order_id: z.string() },
  nodes: {
    go: { invokes: { workflow: identity, returnMap: [{ parentKey: 'said', childKey: 'verdict' }] } },
    end: { outputs: [{ key: 'said', guaranteed: true }] },
  },
  edges: [{ from: 'go', to: 'end' }],
})

describe('Reflex', () => {
  test('runs the workflow with its callees, stores it as data, and has its types', async () => {
    const reflex = new Reflex({ workdir: folder() })
    onTestFinished(() => reflex.close())
    const run = await reflex.run(caller, { input: { total: 84, order_id: 'A-1042' } })
    expect([run.status, run.value]).toEqual(['completed', { said: 'sure' }])
    const said: string | undefined = run.get('said')
    const total: number | undefined = run.get('total')
    expect([said, total]).toEqual(['sure', 84])
    // The types are those of the literal: each line below is an error without its remark.
    // @ts-expect-error -- no key of the board
    expect(run.get('sad')).toBeUndefined()
    // @ts-expect-error -- a text, and no number
    const wrong: number | undefined = run.get('said')
    expect(wrong).toBe('sure')
    const value: { readonly said?: string } | undefined = run.value
    expect(value).toBe(run.value)
    // @ts-expect-error -- the input of a key is what the key holds
    await expect(reflex.run(caller, { input: { total: 'much' } })).rejects.toMatchObject({ code: 'R2045' })
  })

  test('continues it in another process, in which its validators are JSON Schemas', async () => {
    const workdir = folder()
    const asking = workflow({
      id: 'asking',
      entry: 'ask',
      board: { amount: z.object({ cents: z.int().min(1) }) },
      nodes: { ask: { spec: { ask: 'How much?', writes: 'amount', schema: {} } } },
      edges: [],
    })
    const first = new Reflex({ workdir })
    const run = await first.run(asking, { id: 'asking-1' })
    expect(run.status).toBe('suspended')
    await first.close()
    const second = new Reflex({ workdir })
    onTestFinished(() => second.close())
    const refused = await second.answer('asking-1', { cents: 0 })
    await refused.handle?.idle()
    expect(refused.handle?.questions[0]?.question.text).toContain('cents: must be at least 1')
    const again = await second.answer('asking-1', 'retry')
    await again.handle?.idle()
    const { handle } = await second.answer('asking-1', { cents: 5, more: 1 })
    await handle?.idle()
    expect([handle?.status, handle?.get('amount')]).toEqual(['completed', { cents: 5, more: 1 }])
  })

  test('refuses an invalid one before a run begins', async () => {
    const reflex = new Reflex({ store: 'memory:', workdir: folder() })
    onTestFinished(() => reflex.close())
    const broken = { id: 'broken', entry: 'b', nodes: { a: { id: 'a', spec: {} } }, edges: [] }
    await expect(reflex.run(broken)).rejects.toMatchObject({ code: 'R1041' })
  })

  // proves: workflow d-files-module
  test('loads it from a module that exports it, also together with its callee', async () => {
    const workdir = folder()
    writeFileSync(
      join(workdir, 'refund.workflow.ts'),
      `import { workflow } from 'reflex-runtime/workflow'
export const identity = workflow({ id: 'identity', entry: 'match', nodes: { match: { spec: { writes: { verdict: 'sure' } } } }, edges: [] })
export const refund = workflow({
  id: 'refund', entry: 'go', edges: [],
  nodes: { go: { invokes: { workflow: identity, returnMap: [{ parentKey: 'said', childKey: 'verdict' }] } } },
})
`,
    )
    const reflex = new Reflex({ store: 'memory:', workdir })
    onTestFinished(() => reflex.close())
    const run = await reflex.run(join(workdir, 'refund.workflow.ts'))
    expect([run.status, run.get('said')]).toEqual(['completed', 'sure'])
  })
})
