import { describe, expect, test } from 'vitest'
import { describeFault } from '../../../src/kernel/journal/fault.ts'
import { loadWorkflow } from '../../../src/kinds/workflow/file/load.ts'
import { readWorkflow } from '../../../src/kinds/workflow/file/read-workflow.ts'
import { createRegistry } from '../../../src/kinds/workflow/engine/registry.ts'
import type { Workflow } from '../../../src/kinds/workflow/types/index.ts'
import { casesOf } from '../../cases.ts'

// Folders with a program and nothing but what `reflex validate` says of it.
const PROGRAM = 'program.workflow.json'
const GOLDEN = 'expected.txt'
const cases = casesOf('workflow').filter((it) => it.has(PROGRAM) && it.files.every((file) => file === PROGRAM || file === GOLDEN))
const valid = cases.filter((it) => it.name.startsWith('valid-'))
const guards = { isVip: () => true, inStock: () => false }
const library = new Map<string, Workflow>(
  valid.map((it) => loadWorkflow(it.text(PROGRAM), { guards })).map((workflow) => [workflow.id, workflow]),
)

describe('the diagnostics of a workflow file', () => {
  test.each(cases)('$name', async (it) => {
    const { workflow, findings } = readWorkflow(it.text(PROGRAM), PROGRAM, { guards, lookup: (id) => library.get(id) })
    const text = findings.map((finding) => `${describeFault(finding)}\n`).join('')
    expect(workflow === undefined).toBe(findings.some((finding) => finding.severity === 'error'))
    await expect(text === '' ? 'valid\n' : text).toMatchFileSnapshot(it.path(GOLDEN))
  })

  // proves: workflow 6.1b
  test('the valid ones register and verify together', () => {
    const registry = createRegistry({ warn: () => undefined })
    for (const workflow of library.values()) registry.register(workflow)
    expect(registry.list()).toHaveLength(3)
    for (const workflowId of registry.list()) expect(registry.verify(workflowId)).toEqual({ workflowId, valid: true, warnings: [] })
  })
})
