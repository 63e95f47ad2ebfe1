/** Trees without a mistake, small to large, as people write them. */
import type { TreeSource } from '../../../packages/reflex/src/kinds/tree/model/source.ts'
import { act, ask, cond, deco, llm, n, par, put, sel, seq, set, tool, tree, wait } from './build.ts'

const contract = (inputs: readonly string[], outputs: readonly string[]): NonNullable<TreeSource['contract']> => ({
  inputs: Object.fromEntries(inputs.map((key) => [key, 'any'])),
  outputs: Object.fromEntries(outputs.map((key) => [key, 'any'])),
})

const AGENTS: readonly TreeSource[] = [
  tree('greet', {}, act('hello', 'chat.hello')),
  tree('answer', { contract: contract(['question'], ['answer']) }, llm('think', 'Answer: ${bb.question}', 'answer')),
  tree(
    'research',
    { contract: contract(['topic'], ['report']), board: { report: {}, sources: { type: 'list' } } },
    seq(
      'steps',
      tool('search', 'web_search', 'sources', { query: '${bb.topic}' }),
      llm('write', 'Report on ${bb.topic}: ${bb.sources}', 'report'),
    ),
  ),
  tree(
    'research-parallel',
    { contract: contract(['topic'], ['report']) },
    seq(
      'steps',
      par(
        'gather',
        { merge_strategy: 'fail' },
        tool('web', 'web_search', 'web_results', { query: '${bb.topic}' }),
        tool('files', 'file_search', 'file_results', { query: '${bb.topic}' }),
      ),
      llm('write', '${bb.web_results} ${bb.file_results}', 'report'),
    ),
  ),
  tree(
    'caller',
    { contract: contract(['subject'], ['report']) },
    seq('steps', n('subtree_ref', 'research', { tree_name: 'research', bind: { topic: 'subject' } }), cond('has', 'bb.report ~= nil')),
  ),
  tree(
    'draft-and-check',
    { contract: contract(['task'], ['draft']), board: { tries: { type: 'int', default: 0 } } },
    deco(
      'retry',
      'again',
      { max_retries: 3, backoff_ms: 100 },
      seq(
        'round',
        set('count', 'tries', 'bb.tries + 1'),
        llm('write', 'Try ${bb.tries} at ${bb.task}', 'draft'),
        tool('lint', 'linter', 'issues', { text: '${bb.draft.content}' }),
        cond('clean', '#bb.issues == 0'),
      ),
    ),
  ),
  tree(
    'triage',
    {
      contract: contract(['ticket'], ['queue']),
      board: { queue: { type: 'str' }, severity: { type: { type: 'integer', minimum: 1, maximum: 5 } } },
    },
    seq(
      'steps',
      tool('classify', 'classifier', 'severity', { ticket: '${bb.ticket}' }),
      sel(
        'route',
        seq('urgent', cond('is_urgent', 'bb.severity >= 4'), put('to_pager', 'queue', 'pager')),
        seq('normal', cond('is_normal', 'bb.severity >= 2'), put('to_desk', 'queue', 'desk')),
        put('to_backlog', 'queue', 'backlog'),
      ),
    ),
  ),
  tree(
    'chat-loop',
    { board: { message: {}, reply: {} } },
    deco(
      'repeater',
      'for_ever',
      { until_failure: true },
      seq('turn', act('listen', 'chat.listen'), deco('timeout', 'limit', { timeout_ms: 30_000 }, act('reply', 'chat.reply'))),
    ),
  ),
  tree(
    'approval',
    { contract: contract(['change'], ['decision']) },
    seq(
      'steps',
      ask('approve', 'Apply ${bb.change}?', { options: ['yes', 'no'], fail_on: ['no'], output: 'decision', timeout: 600_000 }),
      deco('retry', 'apply', { max_retries: 2, backoff_ms: 500 }, tool('run', 'deploy', 'deployed', { change: '${bb.change}' })),
    ),
  ),
]

const ROBOTS: readonly TreeSource[] = [
  tree(
    'patrol',
    { board: { battery: { type: 'float', default: 100 }, target: { type: 'str', default: 'home' } } },
    n('reactive_selector', 'root', {}, [
      seq('charge', cond('low', 'bb.battery < 20'), act('dock', 'robot.dock')),
      seq('walk', act('next', 'robot.next'), act('drive', 'robot.drive', { timeout: 20_000 })),
    ]),
  ),
  tree(
    'door',
    { board: { open: { type: 'bool', default: false } } },
    sel(
      'enter',
      seq('through', cond('is_open', 'bb.open'), act('pass', 'robot.pass')),
      seq('push', deco('retry', 'tries', { max_retries: 4 }, act('push_it', 'robot.push')), act('pass_2', 'robot.pass')),
      act('knock', 'robot.knock'),
    ),
  ),
  tree(
    'day-night',
    { board: { lux: { type: 'int' } } },
    n('while_do_else', 'root', {}, [cond('day', 'bb.lux > 10'), act('work', 'robot.work'), act('charge', 'robot.charge')]),
  ),
  tree(
    'thermostat',
    { board: { degrees: { type: 'float' }, mode: { type: { enum: ['heat', 'cool', 'off'] }, default: 'off' } }, tick_every: 1000 },
    sel(
      'root',
      seq('cold', cond('is_cold', 'bb.degrees < 18'), put('heat', 'mode', 'heat')),
      seq('hot', cond('is_hot', 'bb.degrees > 25'), put('cool', 'mode', 'cool')),
      put('off', 'mode', 'off'),
    ),
  ),
  tree(
    'pick-all',
    { board: { parcels: { type: 'list' }, picked: { type: 'int', default: 0 } } },
    n('for_each', 'each', { collection_key: 'parcels', item_key: 'parcel' }, [
      seq('pick', cond('light', 'bb.parcel.weight < 20'), act('grab', 'arm.grab'), set('count', 'picked', 'bb.picked + 1')),
    ]),
  ),
  tree(
    'guarded',
    { board: { battery: { type: 'float' } } },
    deco(
      'guard',
      'enough',
      { condition: 'bb.battery > 20' },
      sel('go', seq('fast', cond('full', 'bb.battery > 80'), act('run', 'robot.run')), act('crawl', 'robot.crawl')),
    ),
  ),
]

const SERVICES: readonly TreeSource[] = [
  tree(
    'health',
    { board: { error_rate: { type: 'float' } } },
    sel(
      'root',
      cond('healthy', 'bb.error_rate < 0.01'),
      deco(
        'cooldown',
        'rarely',
        { cooldown_ms: 60_000 },
        deco('retry', 'page_again', { max_retries: 2, backoff_ms: 1000 }, act('page', 'ops.page')),
      ),
    ),
  ),
  tree(
    'deploy',
    { contract: contract(['build'], ['url']), max_execution_ms: 600_000 },
    n('sequence', 'steps', {}, [
      tool('push', 'registry', 'image', { build: '${bb.build}' }),
      sel(
        'release',
        seq(
          'canary',
          tool('start', 'cluster', 'url', { image: '${bb.image}' }),
          deco('delay', 'later', { delay_ms: 5000 }, act('probe', 'ops.probe')),
        ),
        deco('always_fail', 'back', {}, act('rollback', 'ops.rollback')),
      ),
    ]),
  ),
  tree(
    'refund',
    { contract: contract(['order'], ['refund']) },
    seq(
      'steps',
      n('call', 'run', { program: 'workflow:refund', args: { order: '${bb.order}' }, output: 'refund', timeout: 60_000 }),
      act('mail', 'mail.send'),
    ),
  ),
  tree(
    'import',
    { contract: contract(['file'], ['rows']), board: { rows: { type: 'int', default: 0 }, lines: { type: 'list' } } },
    seq(
      'steps',
      tool('read', 'read_file', 'lines', { path: '${bb.file}' }),
      n('for_each', 'each', { collection_key: 'lines', item_key: 'line', index_key: 'at', continue_on_failure: true }, [
        seq('row', cond('full', "bb.line ~= ''"), set('count', 'rows', 'bb.rows + 1')),
      ]),
    ),
  ),
  tree(
    'count-down',
    { board: { left: { type: 'int', default: 3 } } },
    deco('repeater', 'down', { until_failure: true }, seq('step', cond('more', 'bb.left > 0'), set('less', 'left', 'bb.left - 1'))),
  ),
  tree(
    'optional',
    { contract: { inputs: { text: 'str' }, optional_inputs: { language: 'str' }, outputs: { result: 'any' } } },
    seq('steps', tool('translate', 'translator', 'result', { text: '${bb.text}', to: '${bb.language | default:en}' })),
  ),
  tree(
    'vote',
    { contract: contract(['question'], ['verdict']), board: { votes: { type: 'list' } } },
    seq(
      'steps',
      par(
        'ask_three',
        { policy: 'require_n', n: 2, merge_strategy: 'collect' },
        llm('a', '${bb.question}', 'votes', { model: 'one' }),
        llm('b', '${bb.question}', 'votes', { model: 'two' }),
        llm('c', '${bb.question}', 'votes', { model: 'three' }),
      ),
      cond('some', 'bb.votes ~= nil'),
      llm('judge', 'Votes: ${bb.votes | default:none}', 'verdict'),
    ),
  ),
  tree(
    'watch',
    { board: { seen: { type: 'int', default: 0 } } },
    seq(
      'steps',
      n('condition', 'is_event', { condition: "ctx.event ~= nil and ctx.event.type == 'push'" }),
      set('count', 'seen', 'bb.seen + 1'),
    ),
  ),
  tree(
    'nightly',
    { tick_every: 60_000 },
    sel('root', deco('run_once', 'first', {}, act('warm', 'cache.warm')), seq('then', wait('pause', 1000), act('sync', 'cache.sync'))),
  ),
  tree(
    'script-state',
    { board: { total: { type: 'int', default: 0 } } },
    seq('steps', n('script', 'add', { code: "bb.set('total', bb.total + 1)" }), cond('enough', 'bb.total > 3')),
  ),
  tree(
    'skips',
    { board: { is_dry: { type: 'bool', default: false }, done: { type: 'bool', default: false } } },
    seq(
      'steps',
      act('plan', 'ops.plan'),
      n('action', 'apply', { fn: 'ops.apply', skip_if: 'bb.is_dry', on_success: { done: 'true' } }),
      act('report', 'ops.report'),
    ),
  ),
  tree(
    'fallbacks',
    { contract: contract(['query'], ['hit']), board: { hit: {} } },
    sel(
      'any',
      deco('timeout', 'quick', { timeout_ms: 2000 }, n('tool', 'cache', { tool: 'cache', output: 'hit', args: { query: '${bb.query}' } })),
      deco('timeout', 'slow', { timeout_ms: 9000 }, n('tool', 'index', { tool: 'index', output: 'hit', args: { query: '${bb.query}' } })),
      seq('none', put('nothing', 'hit', 'none'), n('fail', 'give_up', { reason: 'nothing found' })),
    ),
  ),
]

/** A tree of many branches, each like the others. */
function large(branches: number): TreeSource {
  const branch = (i: number) =>
    seq(
      `branch_${i}`,
      cond(`is_${i}`, `bb.kind == 'k${i}'`),
      tool(`fetch_${i}`, 'fetch', `data_${i}`, { id: '${bb.id}' }),
      deco('retry', `retry_${i}`, { max_retries: 2, backoff_ms: 100 }, llm(`think_${i}`, `\${bb.data_${i}}`, 'answer')),
      set(`count_${i}`, 'count', 'bb.count + 1'),
    )
  return tree(
    `large-${branches}`,
    { contract: contract(['kind', 'id'], ['answer']), board: { answer: {}, count: { type: 'int', default: 0 } } },
    sel('root', ...Array.from({ length: branches }, (_, i) => branch(i))),
  )
}

export const CORPUS: readonly TreeSource[] = [...AGENTS, ...ROBOTS, ...SERVICES, large(20), large(200)]
