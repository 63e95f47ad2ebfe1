import { type AttributeRow, rowsOf } from './attribute-row.ts'

const COMMANDS = ['tool', 'shell']
const FILES = ['file.write', 'eval.report']

/** Attributes of nodes that run commands, actions and functions (reference pipeline 4.5). */
const EXEC = [
  ...rowsOf(
    'node',
    [['target', ['tool', 'shell', 'action', 'function'], 'tool', 'What a node of type exec runs.']],
    ['tool', 'shell', 'action', 'function'],
  ),
  ...rowsOf('node', [['tool_command', 'text', '', 'The command of a tool.']], ['tool']),
  ...rowsOf('node', [['command', 'text', '', 'The shell text, passed to `sh -c`; values come in as environment.']], ['shell']),
  ...rowsOf(
    'node',
    [
      ['cwd', 'path', 'the work folder', 'Where the command runs.'],
      [
        'sandbox',
        ['basic', 'strict', 'container', 'none'],
        'strict',
        'What keeps the command in bounds; `none` needs a trusted program. `container` is refused: Reflex has no containers.',
      ],
      ['env_keys', 'keys', '', 'Context values that the command gets as environment.'],
    ],
    COMMANDS,
  ),
  ...rowsOf(
    'node',
    [['on_error', ['fail', 'warn', 'continue'], 'fail', 'What a failure becomes.']],
    ['shell', 'action', 'tool', 'function'],
  ),
  ...rowsOf(
    'node',
    [
      ['action', 'text', '', 'The name of the action; `.` and `_` count the same.'],
      ['param.*', 'text', '', 'A parameter of the action.'],
      ['arg.*', 'text', '', 'The same.'],
      ['timeout_budget.deadline_key', 'key', '', 'The context value that says until when; all four or none.'],
      ['timeout_budget.cap_key', 'key', '', 'The context value with the longest time.'],
      ['timeout_budget.reserve_key', 'key', '', 'The context value with the time to keep back.'],
      ['timeout_budget.param', 'text', '', 'The parameter that gets the time.'],
    ],
    ['action'],
  ),
  ...rowsOf('node', [['function', 'text', '', 'The name of a function that the host has registered.']], ['function']),
]

/** Attributes of nodes that change, read and write data (reference pipeline 4.4, 4.7, 4.8). */
const DATA = [
  ...rowsOf(
    'node',
    [
      [
        'transform',
        ['identity', 'constant', 'json_extract', 'template', 'increment', 'format', 'not_equal', 'map', 'filter', 'split', 'join', 'remap'],
        'identity',
        'How the value is changed.',
      ],
      ['expression', 'text', '', 'What the transform goes by: a path, a text, a template, a key, a step, a delimiter.'],
    ],
    ['transform'],
  ),
  ...rowsOf(
    'node',
    [['source', ['file', 'context', 'memory', 'eval_dataset', 'api'], 'by attributes', 'What a node of type read reads.']],
    [
      'read.file',
      'read.context',
      'read.api',
      'eval.dataset',
      'memory.recall',
      'memory.working_load',
      'memory.stats',
      'memory.recall_store',
    ],
  ),
  ...rowsOf(
    'node',
    [['target', ['file', 'context', 'memory', 'eval', 'accumulator', 'api'], 'by attributes', 'What a node of type write writes to.']],
    [
      'file.write',
      'write.context',
      'write.api',
      'accumulator',
      'memory.consolidate',
      'memory.index',
      'memory.working_save',
      'memory.store_file',
      'eval.persist',
      'eval.report',
    ],
  ),
  ...rowsOf('node', [['op', 'text', '', 'Which service of memory, evaluation, session or council is meant.']]),
  ...rowsOf('node', [['path', 'path', '', 'The file.']], ['read.file', 'file.write']),
  ...rowsOf(
    'node',
    [
      ['output', 'path', '', 'The file that is written.'],
      ['format', 'text', 'raw', 'raw, json or text; of a report: terminal, json, markdown.'],
    ],
    FILES,
  ),
  ...rowsOf('node', [['append', 'bool', 'false', 'Whether the text is added to what the file holds.']], ['file.write']),
  ...rowsOf(
    'node',
    [['content_key', 'key', 'by type', 'The context value that is written.']],
    ['file.write', 'write.context', 'write.api', 'memory.store_file'],
  ),
  ...rowsOf('node', [['value', 'text', '', 'What is written, in place of a context value.']], ['write.context']),
  ...rowsOf(
    'node',
    [
      ['url', 'text', '', 'The address.'],
      ['method', 'text', 'GET', 'The method.'],
      ['headers', 'json', '', 'Headers, as an object.'],
      ['body_key', 'key', '', 'The context value that is sent.'],
    ],
    ['read.api', 'write.api'],
  ),
  ...rowsOf(
    'node',
    [
      [
        'operation',
        ['sum', 'count', 'min', 'max', 'product', 'avg', 'append', 'prepend', 'merge', 'concat'],
        'append',
        'How the value joins what has been gathered.',
      ],
      ['input_key', 'key', '', 'The value that joins.'],
      ['accumulator_key', 'key', 'accumulator.<id>', 'Where it is gathered.'],
      ['init_value', 'text', '', 'What is there before the first.'],
      ['limit', 'number', '', 'How much may be gathered.'],
      ['limit_action', ['fail', 'warn', 'cap'], 'warn', 'What happens beyond it.'],
      ['mode', 'text', '', 'The same as `operation`, where there is none.'],
    ],
    ['accumulator'],
  ),
]

/** Attributes of gates and of nodes that change the pipeline (reference pipeline 4.12, 9). */
const GATES_AND_CHANGES = [
  ...rowsOf(
    'node',
    [
      [
        'predicate',
        ['output_valid', 'pipeline_valid', 'expression', 'budget_ok', 'approval', 'trust', 'capability'],
        '',
        'What a gate asks.',
      ],
      ['expression', 'key', '', 'The context value that must be true.'],
    ],
    ['gate', 'gate.expression', 'gate.budget', 'gate.approval', 'gate.trust', 'gate.capability', 'output.validate', 'pipeline.validate'],
  ),
  ...rowsOf(
    'node',
    [['condition_key', 'key', '', 'The context value that a gate asks, or that a branch goes by.']],
    ['branch', 'gate.expression'],
  ),
  ...rowsOf(
    'node',
    [
      ['format', ['json', 'dot', 'markdown', 'text', 'elixir'], 'text', 'What the value must be.'],
      ['min_length', 'int', '', 'The fewest characters.'],
      ['max_length', 'int', '', 'The most characters.'],
      ['must_contain', 'csv', '', 'What must be in it.'],
      ['must_not_contain', 'csv', '', 'What must not.'],
      ['json_schema', 'json', '', 'The schema that it must fit.'],
      ['pattern', 'text', '', 'The pattern that it must match.'],
      ['sanitizes', 'csv', 'all', 'What a value that passes is safe against.'],
      ['action', ['fail', 'warn', 'truncate'], 'fail', 'What happens when it does not pass.'],
    ],
    ['output.validate'],
  ),
  ...rowsOf('node', [['min_tier', 'text', '', 'The least trust.']], ['gate.trust']),
  ...rowsOf(
    'node',
    [
      ['resource_uri', 'text', '', 'The capability that is asked for.'],
      ['capability', 'text', '', 'The same.'],
    ],
    ['gate.capability'],
  ),
  ...rowsOf(
    'node',
    [
      ['mutations', 'json', '', 'The changes, a list of objects with `op`.'],
      ['mutations_key', 'key', '', 'The context value with the changes; goes before `mutations`.'],
      ['max_mutations', 'int', '10', 'How many at once.'],
      ['dry_run', 'bool', 'false', 'Whether they are only checked.'],
    ],
    ['adapt'],
  ),
]

/** Attributes of commands, data, gates and changes. */
export const HANDLER_ATTRIBUTES: readonly AttributeRow[] = [...EXEC, ...DATA, ...GATES_AND_CHANGES]
