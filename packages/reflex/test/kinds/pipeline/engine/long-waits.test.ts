import { describe, expect, test } from 'vitest'
import { isObject } from '../../../../src/kernel/index.ts'
import { readPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { runDot, type Went } from './harness.ts'

const DAY = 86_400_000
const LONG = '100000000d'

function pipeline(nodes: string): string {
  return `digraph p { start [shape=Mdiamond]; ${nodes}; done [shape=Msquare]; start -> a -> done }`
}

function endOf({ run }: Went): readonly unknown[] {
  const { status, value } = run.state.ended ?? {}
  return [status, isObject(value) ? value['code'] : undefined, isObject(value) ? value['path'] : undefined]
}

const dueOf = ({ run }: Went): unknown[] => [...run.state.waits.values()].map(({ due }) => due)

describe('a duration after which dates end', () => {
  test.each([
    ['of a timer', 'duration', `type="wait.timer", duration="${LONG}"`],
    ['of a timer without a unit', 'duration', 'type="wait.timer", duration=8640000000000001'],
    ['of a signal', 'timeout', `type="wait.signal", signal_topic="go", timeout="${LONG}"`],
    ['of a question in seconds', 'human.timeout_seconds', 'shape=hexagon, label="Go?", human.timeout_seconds=8640000000000'],
    ['of a timeout', 'timeout', `prompt="Think", timeout="${LONG}"`],
    ['of a retry', 'initial_delay', `prompt="Think", max_retries=2, initial_delay="${LONG}"`],
  ])('%s is an error of the file', (_, key, attributes) => {
    const { findings } = readPipeline(pipeline(`a [${attributes}]`))
    const errors = findings.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['R1107', expect.stringMatching(new RegExp(`^${key} of "a" is .*, which is longer than 99000000d, the longest duration$`))],
    ])
    expect(errors[0]?.line).toBe(1)
  })

  test.each([
    ['', `unsafe input: a[0] has duration=${LONG}, which is longer than 99000000d, the longest duration`],
    ['safe_input', 'a[0] cannot wait 8640000000000000 ms, because dates end before: wait at most 99000000d'],
  ])('of an item, without the check "%s" of its node, fails the node with the reason', async (skip, reason) => {
    const params = JSON.stringify({ duration: LONG, skip_middleware: skip }).replaceAll('"', '\\"')
    const node = `a [type=map, items_key="days", item_type="wait.timer", handler_attrs="${params}", on_item_error=fail]`
    const went = await runDot(pipeline(node), { trust: 'autonomous', values: { days: [1] }, until: 1000 })
    expect(endOf(went)).toEqual(['failed', 'R2201', 'a'])
    expect(went.reason).toContain(reason)
  })

  test('of a node of a host limits nothing, and a retry waits until the last date', async () => {
    const handler = { execute: () => ({ status: 'retry' }) }
    for (const attributes of [`timeout="${LONG}"`, `max_retries=1, jitter=false, initial_delay="${LONG}", max_delay="${LONG}"`]) {
      const went = await runDot(pipeline(`a [type=slow, ${attributes}]`), { handlers: { slow: handler }, until: DAY })
      expect(endOf(went)[1]).not.toBe('R9001')
      expect(dueOf(went)).toEqual(attributes.startsWith('timeout') ? [] : [8_640_000_000_000_000])
    }
  })

  test('is not a valid one', async () => {
    const went = await runDot(pipeline('a [type="wait.timer", duration="99000000d"]'), { until: DAY })
    expect(dueOf(went)).toEqual([went.host.now() + 99_000_000 * DAY])
  })
})
