import type { Fault, FaultDetails } from '../../../kernel/journal/fault.ts'
import { Source } from '../../../text/source.ts'
import { type DotGraph, textOf } from '../dot/graph.ts'
import { problemFault } from '../language/faults.ts'
import { parseStylesheet } from '../language/stylesheet-parse.ts'
import { faultJson } from '../../../kernel/journal/fault-json.ts'
import type { TypedGraph } from '../model/typed.ts'
import { lintFaults } from './faults.ts'
import type { LintFinding, LintRule } from './finding.ts'
import type { LintOptions } from './options.ts'
import { MAX_FINDINGS } from './guess.ts'
import { placer } from './place.ts'
import { RULES } from './rules.ts'
import { subjectOf } from './subject.ts'
import { checkArguments } from '../../../text/index.ts'
import { HOST_RULES, SOME_OPTIONS, TYPED } from '../dot/argument-forms.ts'

/** Rules without which nothing can run, whatever else is not asked. */
const STRUCTURE: ReadonlySet<string> = new Set(['start_node', 'terminal_node', 'edge_target_exists'])

type Place = (finding: LintFinding) => FaultDetails

/**
 * Everything that is wrong with a compiled pipeline: what compiling has found, then what each rule finds, in the order of
 * rules and within one of nodes and edges; those of the host come last (reference pipeline 11.2). Each has the name of its
 * rule. Of a rule that finds the same all over, the first twenty are told and the others counted. Never throws, unless a
 * rule of the host does.
 */
export function validate(typed: TypedGraph, extraRules: readonly LintRule[] = [], options: LintOptions = {}): Fault[] {
  const { source } = options
  const text = source && new Source(source.text, source.file)
  const place = placer(typed, text)
  const subject = subjectOf(typed, options)
  const rules = options.lint === false ? RULES.filter(({ name }) => STRUCTURE.has(name)) : [...RULES, ...extraRules]
  const found = rules.flatMap((rule) => findingsOf(rule, rule.apply(subject), place))
  return [...typed.findings, ...styleFindings(typed.graph, text), ...found]
}

/** The same, where an error is thrown: one fault `R1142` that has all findings as data, errors and others. */
export function validateOrRaise(typed: TypedGraph, extraRules: readonly LintRule[] = [], options: LintOptions = {}): Fault[] {
  checkArguments('validateOrRaise', { graph: [typed, TYPED], extraRules: [extraRules, HOST_RULES], options: [options, SOME_OPTIONS] })
  const findings = validate(typed, extraRules, options)
  if (!findings.some(({ severity }) => severity === 'error')) return findings
  throw refuse(`the pipeline ${typed.graph.id}`, findings, options.source?.file)
}

/** The fault of a pipeline with errors: `R1142`, with all findings as data and the first error as its cause. */
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
    return lintFaults.make(code ?? 'R1141', counted, details)
  })
}

/** What is wrong with the model stylesheet of a graph, each at its place in the attribute (reference pipeline 8.1). */
function styleFindings({ attributes }: DotGraph, source: Source | undefined): Fault[] {
  const { problems } = parseStylesheet(textOf(attributes, 'model_stylesheet') ?? '')
  return problems.map((problem) => problemFault(problem, source, attributes.get('model_stylesheet')?.valueAt, 'model_stylesheet'))
}
