import { digest, type Kind, type Port } from '../../../../src/kernel/index.ts'
import { createEngine } from '../../../../src/kinds/pipeline/operations/make-engine.ts'
import { pipelineKind } from '../../../../src/kinds/pipeline/face/kind.ts'
import { loadPipeline } from '../../../../src/kinds/pipeline/face/read-pipeline.ts'
import { outsidePort } from '../../../../src/kinds/pipeline/engine/outside-label.ts'
import { TRUSTED } from '../../../../src/policy/label.ts'
import { calledPrograms } from '../../../../src/kinds/pipeline/face/called-programs.ts'

/** Pipelines as suites run them: by the engine as it is, without a host around it. */
export function suiteKind(): Kind {
  return pipelineKind({ load: (source) => loadPipeline(source), calls: calledPrograms, engine: createEngine() })
}

/** A world whose answers are functions of what it is asked and of the key. */
export function suitePorts(): Record<string, Port> {
  return {
    outside: outsidePort(() => Promise.resolve(TRUSTED)),
    model: {
      leaves: false,
      repeat: 'free',
      perform: ({ args }) => ({
        text: digest(JSON.stringify(args)).slice(0, 8),
        model: 'test:model',
        finish: 'stop',
        usage: { input: 3, output: 4 },
        tries: 1,
      }),
    },
    tool: {
      leaves: true,
      repeat: 'keyed',
      perform: ({ key }) => ({ code: 0, stdout: `paid under ${digest(key).slice(0, 8)}`, stderr: '' }),
    },
  }
}
