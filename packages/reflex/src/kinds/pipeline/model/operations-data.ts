import { authored, context, key, keys, type OperationRow, writes, writesAt } from './operation-facts.ts'

/** Whose memory it is, where the node does not say. */
const AGENT = context('session.agent_id', 'control')

/** What reads, writes, remembers and evaluates (reference pipeline 4.3.6, 4.7, 4.8). */
export const DATA_OPERATIONS: readonly OperationRow[] = [
  [
    'read.file',
    'read_only',
    ['path|source_key'],
    [authored('path', 'path_traversal'), key('source_key', undefined, 'control', 'path_traversal')],
    [writesAt('derived', 'output_key', 'read.<id>'), ...writes('derived', 'last_response')],
  ],
  ['read.context', 'read_only', ['source_key'], [key('source_key')], [writesAt('inputs', 'output_key', 'read.<id>')]],
  [
    'read.api',
    'read_only',
    ['url'],
    [authored('url', 'ssrf'), key('body_key')],
    [writesAt('outside', 'output_key', 'read.<id>'), ...writes('outside', 'last_response', 'read.<id>.status')],
  ],
  [
    'eval.dataset',
    'read_only',
    ['dataset'],
    [authored('dataset', 'path_traversal')],
    writes('outside', 'eval.dataset', 'eval.dataset.count', 'eval.dataset.path'),
  ],
  [
    'memory.recall',
    'read_only',
    [],
    [AGENT, key('source_key', 'session.input')],
    writes('derived', 'memory.recalled', 'memory.recall_count'),
  ],
  ['memory.working_load', 'read_only', [], [AGENT], writes('derived', 'memory.working_memory')],
  ['memory.stats', 'read_only', [], [AGENT], writes('derived', 'memory.stats')],
  [
    'memory.recall_store',
    'read_only',
    ['memory_store'],
    [authored('memory_store', 'path_traversal'), key('query_key', 'last_response')],
    [writesAt('outside', 'result_key', 'recalled_memories'), ...writes('outside', 'memory.<id>.')],
  ],
  [
    'file.write',
    'idempotent_with_key',
    ['content_key', 'output|path'],
    [key('content_key'), authored('output', 'path_traversal'), authored('path', 'path_traversal')],
    writes('engine', 'file.written.<id>'),
  ],
  ['write.context', 'idempotent', ['output_key'], [key('content_key')], [writesAt('inputs', 'output_key')]],
  [
    'write.api',
    'side_effecting',
    ['url'],
    [authored('url', 'ssrf'), key('body_key'), key('content_key')],
    writes('outside', 'write.<id>.'),
  ],
  [
    'accumulator',
    'idempotent',
    ['input_key'],
    [key('input_key'), key('accumulator_key', 'accumulator.<id>')],
    [writesAt('inputs', 'accumulator_key', 'accumulator.<id>'), ...writes('inputs', 'accumulator.<id>.')],
  ],
  ['memory.consolidate', 'side_effecting', [], [AGENT], writes('engine', 'memory.consolidation_result')],
  ['memory.index', 'side_effecting', [], [AGENT, key('source_key', 'llm.content')], writes('engine', 'memory.indexed')],
  ['memory.working_save', 'side_effecting', [], [AGENT, context('memory.working_memory')], writes('engine', 'memory.saved')],
  [
    'memory.store_file',
    'side_effecting',
    ['memory_store'],
    [authored('memory_store', 'path_traversal'), key('content_key', 'last_response'), keys('metadata_keys')],
    writes('engine', 'memory.<id>.'),
  ],
  [
    'eval.persist',
    'side_effecting',
    ['domain'],
    [key('results_key'), key('metrics_key')],
    writes('engine', 'eval.persist.run_id', 'eval.persist.status'),
  ],
  [
    'eval.report',
    'idempotent_with_key',
    [],
    [authored('output', 'path_traversal'), context('eval.dataset')],
    writes('derived', 'eval.report.<id>', 'eval.report.<id>.'),
  ],
  [
    'eval.run',
    'read_only',
    ['graders'],
    [context('eval.dataset'), authored('graders'), authored('subject')],
    writes('model', 'eval.results.<id>', 'eval.results.<id>.', 'eval.model', 'eval.provider'),
  ],
  ['eval.aggregate', 'read_only', [], [], writes('derived', 'eval.metrics.<id>')],
]
