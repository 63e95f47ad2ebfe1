import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../src/kinds/pipeline/index.ts'
import { folder } from './folders.ts'

const dot = (nodes: string, edges: string): string =>
  `digraph p { graph [goal="ship it"]; start [shape=Mdiamond]; done [shape=Msquare]; ${nodes} start -> ${edges} -> done }`

test('prompt.md contains the expanded prompt only, and request.json the request that was sent', async () => {
  const logs_root = folder()
  const body = 'a [prompt="Plan how to: $goal"]; b [prompt="Say {{x}}", fidelity="summary:high"];'
  const result = await run(dot(body, 'a -> b'), { logs_root, llm_backend: () => 'done', initial_values: { x: 'yes' } })
  expect(result.status).toBe('success')
  expect(readFileSync(join(logs_root, 'a', 'prompt.md'), 'utf8')).toBe('Plan how to: ship it')
  const prompt = readFileSync(join(logs_root, 'b', 'prompt.md'), 'utf8')
  expect(prompt).toMatch(/^Say /)
  const request = JSON.parse(readFileSync(join(logs_root, 'b', 'request.json'), 'utf8')) as {
    messages: { role: string; content: string }[]
  }
  const sent = request.messages.findLast(({ role }) => role === 'user')?.content ?? ''
  expect(sent.endsWith(prompt)).toBe(true)
  expect(sent.length).toBeGreaterThan(prompt.length)
})

// proves: pipeline 8.2c
test('transforms are functions or objects', async () => {
  const seen: string[] = []
  const result = await run(dot('a [prompt="say"];', 'a'), {
    logs_root: false,
    transforms: [
      (graph) => {
        seen.push('function')
        return graph
      },
      {
        transform: (graph) => {
          seen.push('object')
          return graph
        },
      },
    ],
  })
  expect({ status: result.status, seen }).toEqual({ status: 'success', seen: ['function', 'object'] })
  await expect(
    run(dot('a [prompt="say"];', 'a'), {
      logs_root: false,
      transforms: [
        () => {
          throw new Error('no')
        },
      ],
    }),
  ).rejects.toMatchObject({ code: 'R1114' })
})

test('run() has the ledger, so a proposal is stored and decided', async () => {
  const nodes = 'p [type="consensus.propose", evaluators="a,b", source_key=idea]; c [type="consensus.check"];'
  const { status, failure_reason, context } = await run(dot(nodes, 'p -> c'), {
    logs_root: false,
    initial_values: { idea: 'ship it' },
    llm_backend: () => '{"vote": "approve", "confidence": 1, "reason": "fine"}',
  })
  expect({ status, failure_reason, decided: context['consensus.status'] }).toEqual({
    status: 'success',
    failure_reason: null,
    decided: 'decided',
  })
})
