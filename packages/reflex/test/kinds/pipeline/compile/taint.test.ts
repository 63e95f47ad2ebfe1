import { describe, expect, test } from 'vitest'
import { parse } from '../../../../src/kinds/pipeline/dot/parse.ts'
import { compileGraph } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { compiled } from './compiled.ts'

const flowsOf = (body: string): string[] => compiled(body).taint.map(({ rule, node, key, from }) => `${rule} ${key}: ${from} -> ${node}`)

const ASK = 'ask [prompt="x"]; '
const RUN = 'run [type="shell", command="echo $last_response"]; '
const VALID = 'valid [type="output.validate", pattern="[a-z]+"]; '

describe('a value of a model', () => {
  // proves: pipeline 11.3k
  test('that comes to a command unchecked is reported', () => {
    expect(flowsOf(`${ASK}${RUN}start -> ask -> run -> done`)).toEqual(['missing_sanitization last_response: ask -> run'])
  })

  test('is no matter where no way leads', () => {
    expect(flowsOf(`${ASK}${RUN}start -> run -> ask -> done`)).toEqual([])
    expect(flowsOf(`${ASK}${RUN}start -> run -> ask -> run; run -> done`)).toHaveLength(1)
  })

  test('may be made safe on the way', () => {
    expect(flowsOf(`${ASK}${VALID}${RUN}start -> ask -> valid -> run -> done`)).toEqual([])
  })

  test('is not made safe by a check that it may go round', () => {
    expect(flowsOf(`${ASK}${VALID}${RUN}start -> ask -> valid -> run -> done; ask -> run`)).toHaveLength(1)
    expect(flowsOf(`${ASK}${VALID}${RUN}start -> ask -> valid -> done; valid -> run [condition="outcome=fail"]`)).toHaveLength(1)
    expect(flowsOf(`${ASK}valid [type="output.validate", min_length=1]; ${RUN}start -> ask -> valid -> run`)).toHaveLength(1)
    expect(flowsOf(`${ASK}valid [type="output.validate", pattern=x, sanitizes="ssrf"]; ${RUN}start -> ask -> valid -> run`)).toHaveLength(1)
  })

  // proves: pipeline 11.3l
  test('is unsafe again after another model has written it', () => {
    expect(compiled(`${ASK}${VALID}again [prompt="better: $last_response"]; ${RUN}start -> ask -> valid -> again -> run`).taint).toEqual([
      {
        rule: 'sanitization_wiped',
        node: 'run',
        attribute: 'command',
        key: 'last_response',
        role: 'data',
        needs: ['command_injection'],
        from: 'again',
        level: 'derived',
        wiped: 'valid',
      },
    ])
  })

  test('is followed through the nodes that work on it', () => {
    const body = `${ASK}t [type=transform, transform=template, expression="run {ctx.last_response}", output_key="job.name"]; run [type=shell, command=x, context_keys="job.name"]; `
    expect(flowsOf(`${body}start -> ask -> t -> run`)).toEqual(['missing_sanitization job.name: ask -> run'])
    expect(flowsOf(`${body.replace('template', 'constant')}start -> ask -> t -> run`)).toEqual([])
  })

  test('is gone once the key is written anew', () => {
    expect(
      flowsOf(`${ASK}t [type=transform, transform=constant, expression=ls, output_key=last_response]; ${RUN}start -> ask -> t -> run`),
    ).toEqual([])
  })

  test('reaches parts of what it is written to', () => {
    const body = 'ask [prompt=x, output_prefix="plan"]; run [type=shell, command=x, env_keys="context.plan.step.name"]; start -> ask -> run'
    expect(flowsOf(body)).toEqual(['missing_sanitization plan.step.name: ask -> run'])
  })

  test('goes with a jump after a failure', () => {
    expect(flowsOf(`ask [prompt=x, retry_target="run"]; ${RUN}start -> ask -> done`)).toHaveLength(1)
  })
})

describe('what decides what runs', () => {
  // proves: pipeline 11.3m
  test('wants to be confirmed', () => {
    const body = `${ASK}run [type="pipeline.run"]; `
    expect(flowsOf(`${body}start -> ask -> run`)).toEqual(['confidence_gap last_response: ask -> run'])
    expect(flowsOf(`${body}v [type="pipeline.validate"]; start -> ask -> v -> run`)).toEqual([])
    const source = 'v [type="pipeline.validate"]; w [type="pipeline.run", source_key="pipeline.dot_source.v"]; '
    expect(flowsOf(`${ASK}${source}start -> ask -> v -> w`)).toEqual([])
    expect(flowsOf(`${body}h [shape=hexagon, reviews_keys="last_response"]; start -> ask -> h -> run`)).toEqual([])
  })

  test('is confirmed on the choice of the reviewer alone', () => {
    const body = `${ASK}run [type="pipeline.run"]; h [shape=hexagon, reviews_keys="last_response", review_on_choice="Approve"]; start -> ask -> h; `
    expect(flowsOf(`${body}h -> run [label="[A] Approve"]; h -> done [label="Reject"]`)).toEqual([])
    expect(flowsOf(`${body}h -> done [label="[A] Approve"]; h -> run [label="Reject"]`)).toHaveLength(1)
  })

  test('from outside is untrusted', () => {
    const { taint } = compiled(
      'get [type=read, source=api, url="https://x.org", output_key=ops]; a [type=adapt, mutations_key=ops]; start -> get -> a',
    )
    expect(taint).toMatchObject([{ rule: 'confidence_gap', key: 'ops', role: 'control', level: 'untrusted', from: 'get' }])
  })

  test('a path wants to be safe', () => {
    expect(flowsOf(`${ASK}r [type=read, source=file, source_key=last_response]; start -> ask -> r`)).toEqual([
      'missing_sanitization last_response: ask -> r',
    ])
  })
})

describe('branches', () => {
  const block = (more: string): string =>
    `p [shape=component${more}]; f [shape=tripleoctagon]; a [prompt=x]; b [prompt=x]; ${RUN}start -> p; p -> a -> f; p -> b -> f; f -> run -> done; `

  test('keep what they wrote to themselves, unless asked not to', () => {
    expect(flowsOf(block(''))).toEqual([])
    expect(flowsOf(block(', merge_context=true'))).toHaveLength(1)
  })

  test('hand it out in their results', () => {
    const body = `${block('')}w [type="pipeline.run", source_key="parallel.results"]; f -> w`
    expect(flowsOf(body)).toEqual(['confidence_gap parallel.results: a -> w'])
  })

  test('a council has confirmed what it decides', () => {
    const body = `${block('')}d [type="consensus.decide"]; w [type="pipeline.run", source_key="council.decision"]; f -> d -> w`
    expect(flowsOf(body)).toEqual([])
  })
})

test('findings stand at the attribute that names the value', () => {
  const text =
    'digraph g {\n  start [shape=Mdiamond]\n  ask [prompt="x"]\n  run [type="shell", command="x", env_keys="last_response"]\n  start -> ask -> run\n}'
  const { findings } = compileGraph(parse(text), { source: { text, file: 'a.dot' } })
  const finding = findings.find(({ rule }) => rule === 'missing_sanitization')
  expect(finding).toMatchObject({ code: 'R1161', severity: 'warning', file: 'a.dot', line: 4, path: 'run.env_keys' })
  expect(finding?.frame).toContain('"last_response" is from "ask"')
})
