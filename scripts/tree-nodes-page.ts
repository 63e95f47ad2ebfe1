import type { JsonObject } from '../packages/reflex/src/kernel/index.ts'
import type { NodeManifest, Parameter, Propagation } from '../packages/reflex/src/kinds/tree/manifest/manifest.ts'
import { MANY } from '../packages/reflex/src/kinds/tree/manifest/manifest.ts'
import { POST_CONDITIONS, PRE_CONDITIONS } from '../packages/reflex/src/kinds/tree/formats/node-keys.ts'
import { ABSENT, LOOPS, POST_ATTRIBUTES, PRE_ATTRIBUTES } from '../packages/reflex/src/kinds/tree/formats/xml/palette.ts'
import { TREE_SETTINGS } from '../packages/reflex/src/kinds/tree/formats/tree-keys.ts'
import { luaNames } from '../packages/reflex/src/kinds/tree/formats/names.ts'
import { NODES } from '../packages/reflex/src/kinds/tree/nodes/table.ts'

const ROLES: readonly (readonly [role: NodeManifest['role'], title: string])[] = [
  ['composite', 'Composites'],
  ['decorator', 'Decorators'],
  ['leaf', 'Leaves'],
]

const PROPAGATIONS: Readonly<Record<Propagation, string>> = {
  leaf: 'the leaf decides',
  any: 'the first failure of a child is its failure',
  all: 'it fails when all children have failed',
  policy: 'its policy, or its choice of a child, decides',
  transform: 'it passes the answer of its child on, and can fail or absorb a failure for a reason of its own',
  invert: 'a failure becomes a success, and a success a failure',
  absorb: 'a failure becomes a success',
  force: 'it fails always',
}

const CONDITIONS: Readonly<Record<(typeof PRE_CONDITIONS | typeof POST_CONDITIONS)[number], string>> = {
  skip_if: 'True: the node is skipped, and its parent passes over it. Evaluated when the node begins.',
  success_if: 'True: the node succeeds and is not ticked. Evaluated when the node begins.',
  failure_if: 'True: the node fails and is not ticked. Evaluated when the node begins, before the others.',
  while: 'False: the node is skipped; a node that is RUNNING is halted.',
  on_success: 'Written after a success: a table of keys and expressions.',
  on_failure: 'Written after a failure.',
  on_halted: 'Written when the node is halted.',
  after: 'Written after every end.',
}

/** Every type of node of a tree with its parameters, the settings of a tree, the propagation of failures, and the palette of BehaviorTree.CPP. */
export function treeNodesPage(): string {
  return [
    '# Nodes of trees',
    '',
    'The nodes that [a tree](tree.md) is made of. `reflex explain NODE` shows one of them. This page is made from the same manifests as the',
    'functions of `BT`, the JSON Schema, the readers and the checks.',
    '',
    ...ROLES.flatMap(([role, title]) => [
      `## ${title}`,
      '',
      '| node | in Lua | in XML | children | what it does |',
      '| --- | --- | --- | --- | --- |',
      ...written(role).map(nodeLine),
      '',
    ]),
    ...failures(),
    ...common(),
    '## Parameters',
    '',
    ...written().flatMap(parametersOf),
    ...palette(),
  ].join('\n')
}

function written(role?: NodeManifest['role']): readonly NodeManifest[] {
  return NODES.filter((node) => role === undefined || node.role === role)
}

function nodeLine(node: NodeManifest): string {
  const { type, children, doc, xml = {} } = node
  return row([code([type]), code(luaNames(node).map((name) => `BT.${name}`)), code(Object.keys(xml)), count(children), doc])
}

function count([least, most]: NodeManifest['children']): string {
  if (most === 0) return ''
  if (most === MANY) return `${least} or more`
  return least === most ? String(least) : `${least} to ${most}`
}

function failures(): string[] {
  const groups = Map.groupBy(NODES, ({ propagates }) => propagates)
  return [
    '## How failures propagate',
    '',
    'A failure of a child reaches the parent by the rule of the parent.',
    '',
    '| rule | nodes |',
    '| --- | --- |',
    ...[...groups].map(([rule, nodes]) => row([PROPAGATIONS[rule], code(nodes.map(({ type }) => type))])),
    '',
  ]
}

function common(): string[] {
  return [
    '## Settings of a tree',
    '',
    'The keys of the table of `BT.tree`, besides `root`, `blackboard`, `contract`, `on_failure` and `trees`.',
    '',
    ...parameterTable(TREE_SETTINGS),
    '## Keys of every node',
    '',
    'Every node has `id` (unique in its tree, derived from its type and line by default), `name`, `description`, `metadata` and `contract`,',
    'and these conditions. They are [expressions](tree.md#conditions); the spelling of BehaviorTree.CPP is accepted, too.',
    '',
    '| key | in XML | what it does |',
    '| --- | --- | --- |',
    ...[...PRE_CONDITIONS, ...POST_CONDITIONS].map((key) => row([code([key]), code(attributesOf(key)), CONDITIONS[key]])),
    '',
  ]
}

function attributesOf(key: string): string[] {
  return [...PRE_ATTRIBUTES, ...POST_ATTRIBUTES].filter(([, name]) => name === key).map(([attribute]) => attribute)
}

function parametersOf({ type, parameters, example }: NodeManifest): string[] {
  return [`### \`${type}\``, '', '```lua', example, '```', '', ...(parameters.length === 0 ? [] : parameterTable(parameters))]
}

function parameterTable(parameters: readonly Parameter[]): string[] {
  return ['| parameter | takes | otherwise | what it does |', '| --- | --- | --- | --- |', ...parameters.map(parameterLine), '']
}

function parameterLine({ name, aliases = [], type, values, unit, flow, required, default: usual, doc }: Parameter): string {
  const takes = values === undefined ? type : code(Object.keys(values))
  const flows = flow === undefined ? '' : `, ${flow === 'in' ? 'read' : flow === 'out' ? 'written' : 'read and written'}`
  const otherwise = required === true ? 'required' : usual === undefined ? '' : code([String(usual)])
  return row([code([name, ...aliases]), `${takes}${unit === undefined || unit === type ? '' : ` in ${unit}`}${flows}`, otherwise, doc])
}

function palette(): string[] {
  const named = NODES.flatMap(({ type, xml = {} }) =>
    Object.entries(xml).map(([name, implied]) => row([code([name]), code([type]), impliedText(implied)])),
  )
  return [
    '## The palette of BehaviorTree.CPP',
    '',
    'Nodes of version 4 that are read. A name that a `TreeNodesModel` declares is an `action` or a `condition` of the host.',
    '',
    '| in BehaviorTree.CPP | node | with |',
    '| --- | --- | --- |',
    ...named,
    row([code(['Precondition']), code(['sequence']), '`else = "SUCCESS"` as `success_if`, `else = "SKIPPED"` as `skip_if`']),
    row([code(['Script']), code(['set']), 'one for each assignment, several as a `sequence`']),
    row([code(['SetBlackboard']), code(['set']), '']),
    row([code(LOOPS), code(['for_each']), 'a list in the file, `queue = "1;2;3"`, is a `set` before it, in a `sequence`']),
    '',
    'Nodes that are refused ([R1205](../errors/R1205.md)), each with what to write instead.',
    '',
    '| in BehaviorTree.CPP | write |',
    '| --- | --- |',
    ...[...ABSENT].map(([name, instead]) => row([code([name]), instead])),
    '',
  ]
}

function impliedText(implied: JsonObject): string {
  return code(Object.entries(implied).map(([name, value]) => `${name} = ${JSON.stringify(value)}`))
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
