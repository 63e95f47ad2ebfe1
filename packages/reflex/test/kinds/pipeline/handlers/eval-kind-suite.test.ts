import { describe, expect, test } from 'vitest'
import { digest, isObject, type Json, ledgerPort, type Port } from '../../../../src/kernel/index.ts'
import { createEngine } from '../../../../src/kinds/pipeline/operations/make-engine.ts'
import { pipelineKind } from '../../../../src/kinds/pipeline/face/kind.ts'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { loadPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { outsidePort } from '../../../../src/kinds/pipeline/engine/outside-label.ts'
import { TRUSTED } from '../../../../src/policy/label.ts'
import { calledPrograms } from '../../../../src/kinds/pipeline/face/called-programs.ts'
import { kindSuite } from '../../../../src/testing/index.ts'
import { runDot } from '../engine/harness.ts'
import { evalWorld } from './eval-world.ts'
import { runsSettings } from '../../../policy/settings.ts'

const adapting = `digraph adapting {
  start [shape=Mdiamond]
  load [type="eval.dataset", dataset="set.jsonl", shuffle=true]
  try [type="eval.run", subject=llm, graders="contains,composite"]
  keep [type="eval.persist", domain=words]
  route [type="routing.select", candidates="[[\\"own\\", \\"small\\"]]"]
  compare [type="prompt.ab_test", variant_a="short", variant_b="long", count=2, persistence="ab.jsonl"]
  drift [type="drift_detect", baseline_path="base.json", update_baseline=true]
  climb [type="retry.escalate", models="broken,small"]
  revise [type="feedback.loop", max_iterations=2]
  put [type="consensus.propose", source_key="last_response", evaluators="a,b,c"]
  wait [type="consensus.await", timeout="10s"]
  done [shape=Msquare]
  start -> load -> try -> keep -> route -> compare -> drift -> climb -> revise -> put -> wait -> done
}`

/** What a model says: a function of what it is asked. */
const model: Port = {
  leaves: false,
  repeat: 'free',
  perform: ({ args }) => {
    const request = isObject(args) ? args : {}
    if (request['model'] === 'broken') throw new Error('out of order')
    return {
      text: `{"vote": "approve", "concerns": ["${digest(JSON.stringify(request)).slice(0, 6)}"]}`,
      model: 'test:model',
      finish: 'stop',
      usage: { input: 1, output: 1 },
      tries: 1,
    }
  },
}

/** Files that never change: what is written goes nowhere, so that a repeated call sees the same. */
const FILES: Readonly<Record<string, string>> = {
  'set.jsonl': '{"input":"a","expected":"vote"}\n{"input":"b","expected":"other"}\nbad\n{"input":"c","expected":"approve"}',
  'ab.jsonl': '',
  'base.json': '{"text":"something older","timestamp":"2026-01-01T00:00:00.000Z"}',
}
const tool: Port = {
  leaves: true,
  repeat: 'keyed',
  perform({ args }): Json {
    const given = isObject(args) && isObject(args['args']) ? args['args'] : {}
    const path = renderText(given['path'])
    return { path, text: FILES[path] ?? '', bytes: 0, lines: 0 }
  },
}

const suite = kindSuite({
  name: 'adapting pipeline',
  draws: 'the samples of an evaluation are shuffled',
  kinds: [pipelineKind({ load: (source) => loadPipeline(source), calls: calledPrograms, engine: createEngine() })],
  settings: runsSettings(),
  programs: [{ kind: 'pipeline', id: 'adapting', source: { dot: adapting } }],
  args: { avail_own: true },
  ports: (store, host) => ({
    outside: outsidePort(() => Promise.resolve(TRUSTED)),
    model,
    tool,
    ledger: ledgerPort(store, host),
  }),
})

describe('the kind suite on evaluations, councils and adaptation', () => {
  test('the pipeline that is disturbed is one that works', async () => {
    const went = await runDot(adapting, { values: { avail_own: true }, ports: { ...evalWorld().ports, model, tool } })
    expect(went.status).toBe('success')
    expect(went.context).toMatchObject({ 'eval.results.try.count': 3, 'escalate.climb.attempts': 2, 'consensus.decision': 'approved' })
  })

  for (const { name, run } of suite) test(name, run)
})
