import { type Fault, type FaultDetails, faultJson } from '../../../kernel/index.ts'
import { Source, checkArguments } from '../../../text/index.ts'
import { type DotGraph, textOf, type Attributes, type DotEdge, type Span } from '../dot/graph.ts'
import { problemFault } from '../language/faults.ts'
import { parseStylesheet } from '../language/stylesheet-parse.ts'
import type { TypedGraph } from '../model/typed.ts'
import { lintFaults } from './faults.ts'
import { type LintFinding, type LintRule, MAX_FINDINGS } from './finding.ts'
import type { LintOptions } from './options.ts'
import { RULES } from './rules.ts'
import { subjectOf } from './subject.ts'
import { HOST_RULES, SOME_OPTIONS, TYPED } from '../dot/argument-forms.ts'

/** Rules that are always applied: without them nothing can run. */
const STRUCTURE: ReadonlySet<string> = new Set(['start_node', 'terminal_node', 'edge_target_exists'])

type Place = (finding: LintFinding) => FaultDetails

/**
 * Returns all findings about a compiled pipeline: first those of the compiler, then those of each rule in the order of rules,
 * nodes and edges; rules of the host come last (reference pipeline 11.2). Each finding has the name of its rule. For a rule
 * with many findings, the first twenty are listed and the others counted. Throws only if a rule of the host throws.
 */
export function validate(typed: TypedGraph, extraRules: readonly LintRule[] = [], options: LintOptions = {}): Fault[] {
  const { source } = options
  const text = source && Source.of(source)
  const place = placer(typed, text)
  const subject = subjectOf(typed, options)
  const rules = options.lint === false ? RULES.filter(({ name }) => STRUCTURE.has(name)) : [...RULES, ...extraRules]
  const found = rules.flatMap((rule) => findingsOf(rule, rule.apply(subject), place))
  return [...typed.findings, ...styleFindings(typed.graph, text), ...found]
}

/** Validates a pipeline and throws if there are errors: one fault `R1142` with all findings as data. */
export function validateOrRaise(typed: TypedGraph, extraRules: readonly LintRule[] = [], options: LintOptions = {}): Fault[] {
  checkArguments('validateOrRaise', { graph: [typed, TYPED], extraRules: [extraRules, HOST_RULES], options: [options, SOME_OPTIONS] })
  const findings = validate(typed, extraRules, options)
  if (!findings.some(({ severity }) => severity === 'error')) return findings
  throw refuse(`the pipeline ${typed.graph.id}`, findings, options.source?.file)
}

/** Makes the fault of a pipeline with errors: `R1142`, with all findings as data and the first error as its cause. */
export function refuse(name: string, findings: readonly Fault[], file?: string): Fault {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  const more = errors.length <= 1 ? '' : `, and ${errors.length - 1} more`
  return lintFaults.make('R1142', `${name} is refused: ${first?.message ?? 'it cannot be read'}${more}`, {
    ...(file === undefined ? {} : { file }),
    ...(first === undefined ? {} : { cause: first }),
    data: { findings: findings.map(faultJson) },
  })
}

function findingsOf({ name, code }: LintRule, found: Iterable<LintFinding>, place: Place): Fault[] {
  const listed: LintFinding[] = []
  let more = 0
  for (const finding of found) {
    if (listed.length < MAX_FINDINGS) listed.push(finding)
    else more++
  }
  return listed.map((finding, i) => {
    const { message, fix, data, severity } = finding
    const counted = more > 0 && i === listed.length - 1 ? `${message}; ${more} more like it are not listed` : message
    const details = { rule: name, severity, fix, data, ...place(finding) }
    return lintFaults.finding(code ?? 'R1141', counted, details)
  })
}

/** Returns the findings about the model stylesheet of a graph, each at its place in the attribute (reference pipeline 8.1). */
function styleFindings({ attributes }: DotGraph, source: Source | undefined): Fault[] {
  const { problems } = parseStylesheet(textOf(attributes, 'model_stylesheet') ?? '')
  return problems.map((problem) => problemFault(problem, source, attributes.get('model_stylesheet')?.valueAt, 'model_stylesheet'))
}

/**
 * Returns a function that finds the position of a finding: its attribute, otherwise its edge or node. Without a source, a path
 * names the place: `build -> ship`. Otherwise the position is the first line.
 */
function placer({ graph }: TypedGraph, source: Source | undefined): (finding: LintFinding) => FaultDetails {
  return ({ edge, end, node, attribute, note }) => {
    const owner = edge?.edge ?? (node === undefined ? undefined : graph.nodes.get(node))
    const path = edge === undefined ? (node ?? graph.id) : `${edge.edge.from} -> ${edge.edge.to}`
    const at = attributeAt(owner?.attributes ?? graph.attributes, attribute) ?? (edge && endOf(edge.edge, end, source)) ?? owner?.at
    if (source === undefined) return { path }
    if (at === undefined) return source.file === undefined ? { path } : { path, file: source.file, line: 1, column: 1 }
    return { path, ...source.details(at.from, Math.max(1, at.to - at.from), note) }
  }
}

/** Returns the span of one id of an edge, if the text has it unquoted at that end. */
function endOf({ at, from, to }: DotEdge, end: LintFinding['end'], source: Source | undefined): Span | undefined {
  if (at === undefined || end === undefined) return undefined
  const span = end === 'to' ? { from: at.to - to.length, to: at.to } : { from: at.from, to: at.from + from.length }
  return source?.text.slice(span.from, span.to) === (end === 'to' ? to : from) ? span : undefined
}

function attributeAt(attributes: Attributes, key: string | undefined): Span | undefined {
  const attribute = key === undefined ? undefined : attributes.get(key)
  return attribute?.valueAt ?? attribute?.keyAt
}
