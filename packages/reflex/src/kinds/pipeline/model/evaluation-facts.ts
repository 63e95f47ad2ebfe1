import { fileUri, uri } from './capability-uris.ts'
import type { ActionFacts } from './action-needs.ts'

const MODEL = uri('orchestrator/execute/llm_query')
const text = { kind: 'text' } as const
const number = { kind: 'number' } as const
const flag = { kind: 'flag' } as const
const json = { kind: 'json' } as const

/** The stages of an evaluation as actions. Their parameters are the attributes of the types `eval.*` (reference pipeline 13). */
export const EVALUATION_FACTS: Readonly<Record<string, ActionFacts>> = {
  eval_pipeline_load_dataset: {
    parameters: {
      dataset: { kind: 'text', required: true, control: 'path_traversal', also: ['path', 'dataset_path', 'file'] },
      limit: number,
      shuffle: flag,
      seed: text,
    },
    needs: (written) => [uri('eval', 'dataset'), fileUri('read', written('dataset'))],
    origin: 'outside',
    writesAs: 'eval.dataset',
  },
  eval_pipeline_run_eval: {
    parameters: {
      graders: { kind: 'list', required: true, control: true },
      subject: { kind: 'text', control: true, also: ['subject_type'] },
      dataset: { kind: 'json', also: ['samples'] },
      model: text,
      provider: text,
    },
    reads: ['eval.dataset', 'eval.model', 'eval.provider', 'map.current_item'],
    needs: (written) => [uri('eval', 'run'), ...(written('subject') === 'llm' ? [MODEL] : [])],
    origin: 'model',
    writesAs: 'eval.run',
  },
  eval_pipeline_aggregate: {
    parameters: { results: json, source: text, metrics: { kind: 'list' }, threshold: number, k: number },
    writesAs: 'eval.aggregate',
  },
  eval_pipeline_persist: {
    parameters: {
      domain: { kind: 'text', required: true, control: true },
      results: json,
      metrics: json,
      results_key: text,
      metrics_key: text,
    },
    needs: () => [uri('eval', 'persist')],
    writesAs: 'eval.persist',
  },
  eval_pipeline_report: {
    parameters: {
      format: text,
      output: { kind: 'text', control: 'path_traversal', also: ['path', 'output_path'] },
      results: json,
      metrics: json,
      source: text,
      metrics_source: text,
    },
    reads: ['eval.dataset'],
    needs: (written) => {
      const output = written('output')
      return [uri('eval', 'report'), ...(output === undefined ? [] : [fileUri('write', output)])]
    },
    writesAs: 'eval.report',
  },
}
