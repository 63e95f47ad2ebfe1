import { describe, expect, test } from 'vitest'
import { type Port, Runtime } from '../../../../src/kernel/index.ts'
import { createEngine } from '../../../../src/kinds/pipeline/operations/make-engine.ts'
import { pipelineKind } from '../../../../src/kinds/pipeline/face/kind.ts'
import { loadPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { outsidePort } from '../../../../src/kinds/pipeline/engine/outside-label.ts'
import { TRUSTED } from '../../../../src/policy/label.ts'
import { calledPrograms } from '../../../../src/kinds/pipeline/face/called-programs.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { rightsPolicy } from '../../../policy/rights.ts'
import { runsSettings } from '../../../policy/settings.ts'

const HOUR = 3_600_000
const NINE = Date.UTC(2026, 0, 5, 9)

/** A run whose process died at its first effect, carried on by another an hour later. */
async function anHourLater(dot: string, repeat: 'ask' | 'free') {
  const store = memoryStore()
  let performed = 0
  let settle: (value: { stdout: string; stderr: string; code: number }) => void = () => undefined
  const tool: Port = {
    leaves: repeat === 'ask',
    repeat,
    perform: () => {
      performed++
      return new Promise((resolve) => (settle = resolve))
    },
  }
  const life = (at: number) => {
    const host = virtualHost({ at })
    const kinds = [pipelineKind({ load: (source) => loadPipeline(source), calls: calledPrograms, engine: createEngine() })]
    const runtime = new Runtime({
      kinds,
      host,
      store,
      settings: runsSettings(),
      policy: rightsPolicy(),
      ports: { outside: outsidePort(() => Promise.resolve(TRUSTED)), tool },
    })
    runtime.programs.add('pipeline', 'inner', {
      dot: 'digraph inner { start -> pay -> end; pay [type=tool, tool_command="pay"] }',
    })
    return { host, runtime, program: runtime.programs.add('pipeline', 'outer', { dot }) }
  }
  const first = life(NINE)
  const { id } = await first.runtime.start(first.program)
  await first.host.drain()
  await first.host.advance(100)
  const { host, runtime } = life(NINE + HOUR)
  const run = await runtime.resume(id)
  await host.drain()
  return { run, host, performed: () => performed, settle: () => settle({ stdout: 'paid', stderr: '', code: 0 }) }
}

const doubted = [
  ['a node', 'digraph outer { start -> pay -> end; pay [type=tool, tool_command="pay", timeout="5s", max_retries=2] }'],
  [
    'a branch',
    `digraph outer { start -> fan; fan -> pay -> join; fan -> rest -> join; join -> end; rest [type=branch]
      fan [shape=component, branch_timeout="5s", max_retries=2]; join [shape=tripleoctagon]; pay [type=tool, tool_command="pay"] }`,
  ],
  ['a call', 'digraph outer { start -> call -> end; call [type="graph.invoke", program="pipeline:inner", timeout="5s", max_retries=2] }'],
] as const

describe('while no process was running', () => {
  test.each(doubted)('%s whose timeout has expired does not repeat an effect with an unknown outcome', async (_, dot) => {
    const { run, host, performed } = await anHourLater(dot, 'ask')
    await host.advance(HOUR)
    const [doubt] = [...run.state.waits.values()].filter(({ effect }) => effect !== undefined)
    expect(doubt?.name).toBe('outcome')
    await run.answer(doubt?.id ?? '', { outcome: 'happened', value: { stdout: 'paid', stderr: '', code: 0 } })
    await host.drain()
    expect(run.state.ended?.status).toBe('done')
    expect(performed()).toBe(1)
  })

  const stages = [
    ['tool', 'type=tool, tool_command="pay"', { 'tool.output': '', 'tool.exit_code': 0 }],
    ['shell', 'type=shell, command="pay"', { 'shell.pay.output': '', 'shell.pay.exit_code': 0 }],
    ['shell_run', 'type=exec, target=action, action="shell_run", param.command="pay"', { 'exec.pay.output': '', 'exec.pay.success': true }],
    ['hook', 'type=transform, transform=constant, expression="x", pre_hook="pay"', { 'transform.pay': 'x' }],
  ] as const
  test.each(stages)('a command at %s that a person says has happened is a success with empty output', async (_, attributes, context) => {
    const { run, host, performed } = await anHourLater(`digraph outer { start -> pay -> end; pay [${attributes}] }`, 'ask')
    const [doubt] = [...run.state.waits.values()].filter(({ effect }) => effect !== undefined)
    await run.answer(doubt?.id ?? '', 'happened')
    await host.drain()
    expect(run.state.ended).toMatchObject({ status: 'done', value: { status: 'success', context } })
    expect(performed()).toBe(1)
  })

  test('the answer of a person about a command counts: its output, or its failure', async () => {
    const dot = 'digraph outer { start -> pay -> end; pay [type=tool, tool_command="pay"] }'
    for (const [value, status] of [
      ['paid 3', 'done'],
      [{ code: 2, stdout: 'paid 3' }, 'failed'],
    ] as const) {
      const { run, host } = await anHourLater(dot, 'ask')
      const [doubt] = [...run.state.waits.values()].filter(({ effect }) => effect !== undefined)
      await run.answer(doubt?.id ?? '', { outcome: 'happened', value })
      await host.drain()
      expect(run.state.ended?.status).toBe(status)
      expect(run.state.root.reader().get('tool.output')).toBe('paid 3')
    }
  })

  test('the time of a node does not pass: it gets its whole timeout again, and no more', async () => {
    const dot = 'digraph outer { start -> look -> end; look [type=tool, tool_command="look", timeout="5s"] }'
    const { run, host, performed, settle } = await anHourLater(dot, 'free')
    await host.advance(4_000)
    expect([run.state.ended, performed()]).toEqual([undefined, 2])
    settle()
    await host.drain()
    expect(run.state.ended?.status).toBe('done')
    const other = await anHourLater(dot, 'free')
    await other.host.advance(5_000)
    expect(other.run.state.ended).toMatchObject({ status: 'failed', value: { message: 'outer: timeout' } })
  })
})
