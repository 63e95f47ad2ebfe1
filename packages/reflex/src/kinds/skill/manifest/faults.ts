import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'

/** Returns the codes of the reference as a catalogue entry lists them. */
function named(rules: string): readonly string[] {
  return rules.split(' ').map((rule) => `skill ${rule}`)
}

/** The faults of manifests of skills (R1400 to R1421). */
export const manifestFaults = defineFaults({
  R1400: {
    title: 'A skill is not identified correctly',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_SCHEMA_VERSION E_ID E_VERSION'),
    means:
      'An id has lower-case words with points between them, such as deploy.container. A version is a semantic version with three parts, and never changes its meaning. The schema is reflex.capability/1.',
    often: 'capitals or hyphens in the id, "v1.2.0", a manifest of a newer Reflex',
    fix: 'Correct the field that the message names.',
  },
  R1401: {
    title: 'A manifest has a field that nothing reads',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_UNKNOWN_FIELD E_KEY'),
    means:
      'A misspelt field, such as deny_iff, would have no effect and nobody would notice, so unknown fields are refused. Fields that begin with x_ are notes of yours and are ignored. __proto__, constructor and prototype are no names.',
    fix: 'Rename the field, move it where it belongs, or begin its name with x_.',
  },
  R1402: {
    title: 'A manifest has no value for a required field',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_REQUIRED'),
    means: 'The field has no default, because no default would be right for every skill.',
    fix: 'Add the field.',
  },
  R1403: {
    title: 'A field of a manifest has a value that it cannot have',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_TYPE E_RANGE E_ENUM E_TEXT'),
    means:
      'The message names the type, the words or the bounds of the field. Texts that a model reads have no control characters and no tags of the protocol, because such a text could speak in the name of Reflex.',
    fix: 'Write a value that the message describes.',
  },
  R1404: {
    title: 'The compatibility of a skill cannot be read',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_COMPAT'),
    means:
      'Each key of compat is a fact of the host, with a text or a list of texts that it must equal. "*" accepts every value, and toolset can be a range such as ">=6".',
    fix: 'Write a text or a list of texts.',
  },
  R1405: {
    title: 'A slot is not declared correctly',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_SLOT_NAME E_SLOT_TYPE E_DUP_SLOT E_DEFAULT E_PATTERN E_CONSTRAINT'),
    means:
      'A slot has a name in lower case, which no other slot has, and a type. Its default is a valid value of an optional slot. Its pattern is one of RE2, and matches the whole value.',
    often: 'a default without "required": false, a pattern with look-ahead, "min" of a text',
    fix: 'Correct the declaration.',
  },
  R1406: {
    title: 'A skill reads or writes what it does not declare',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_BINDING E_EFFECT_UNDECLARED E_EFFECT'),
    means:
      'A path of the blackboard begins with ctx, env or work, and only work is written. Everything that is written is listed in effects.writes, so that the effects of a skill can be read without its steps. An external effect is verb:noun.',
    fix: 'Correct the path, or add it to effects.writes.',
  },
  R1407: {
    title: 'A manifest refers to something that it does not have',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_REF'),
    means: 'The name is none of the slots, steps or paths of the blackboard that can be meant here.',
    often: 'a misspelt slot, a step that was renamed',
    fix: 'Write a name that exists.',
  },
  R1408: {
    title: 'A tool cannot be used in this way',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_TOOL_UNDECLARED E_RETRY_UNSAFE E_VERIFY_TOOL E_SHELL_POLICY'),
    means:
      'Every tool of the plan is listed in preconditions.tools_available. Only a tool that reads, or that is idempotent, is called again after a failure, and only one that reads can verify a result. A tool that the host does not know counts as one that changes something.',
    fix: 'List the tool, or change the step as the message says.',
  },
  R1409: {
    title: 'A plan that changes something is not safe to repeat or to undo',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_IDEMPOTENCE_REQUIRED E_IDEMPOTENCE_CONSTANT E_COMPENSATION_REQUIRED E_IRREVERSIBLE'),
    means:
      'A plan with effects has a key, from its slots, that makes a second call with the same values harmless, and steps that undo what a failed call has done. What cannot be undone says so, with the reason.',
    fix: 'Add plan.idempotence_key and plan.compensation; or "compensation": "none" with plan.irreversible_reason.',
  },
  R1410: {
    title: 'The steps of a plan are not declared correctly',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_STEPS E_STEP_ID E_TIMEOUT'),
    means: 'A plan has 1 to 32 steps. Each has an id of its own, and a time limit within the budget of the plan.',
    fix: 'Correct the step that the message names.',
  },
  R1411: {
    title: 'The results of a plan do not fit the outputs of the skill',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_RESULT_MAP'),
    means: 'plan.result_map has one template for each output of the signature, and nothing else.',
    fix: 'Add the output to the map, or to the signature.',
  },
  R1412: {
    title: 'A rule that takes a part of a text cannot be read',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_EXTRACTOR'),
    means:
      'An extractor is a JSON pointer, {"regex": …, "group": 0 or 1}, {"line": from 1}, or {"json": true, "pointer": …}. One of llm_support has exactly one of regex, enum and json_pointer.',
    fix: 'Write one of these forms.',
  },
  R1413: {
    title: 'A skill can never be activated by its score',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_WEIGHT E_TAU_UNREACHABLE E_LABEL'),
    means:
      'The weights are numbers from 0, at least one above it. The threshold tau is in the same points: above 0, and at most their sum. Labels are lower-case words.',
    often: 'tau between 0 and 1 as in the options of the host, where it is normalised',
    fix: 'Write a threshold that the weights can reach.',
  },
  R1414: {
    title: 'A parser of slots is not deterministic or not safe',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_PARSER_TEMP E_PROMPT_REF E_PARSER_SECRET'),
    means:
      'A parser asks a pinned model at temperature 0 with a pinned prompt, whose hash is in the manifest. It never fills a sensitive slot. A prompt that changed needs a new version of the skill.',
    fix: 'Correct the parser; after a change of its prompt, release a new version.',
  },
  R1415: {
    title: 'The tests of a skill cannot be run',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_PATH E_MUTATION E_THRESHOLD'),
    means:
      'Cases are files inside the folder of the skill. Mutations are from a fixed list, or alt_ with the name of a slot. Rates can be raised, and not lowered below those of the registry.',
    fix: 'Correct the field that the message names.',
  },
  R1416: {
    title: 'The rollout of a skill cannot be followed',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_ROLLOUT'),
    means: 'Each share belongs to another version and is above 0, and all shares together are at most 1.',
    fix: 'Correct the shares.',
  },
  R1417: {
    title: 'A manifest is too large',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_SIZE'),
    means: 'The stored form of a manifest has at most 64 KiB.',
    often: 'data in the arguments of a step',
    fix: 'Move data into files, or split the skill.',
  },
  R1418: {
    title: 'The time limits of the steps are longer than the budget together',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: named('W_TIMEOUT_SUM'),
    means: 'The plan stops when its budget is used up, so the last steps can have less time than their limits say.',
    fix: 'Raise plan.budget.max_latency_ms, or lower the limits.',
  },
  R1419: {
    title: 'The host lacks something that a skill needs',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: named('W_UNBOUND'),
    means:
      'The skill is valid, and unbound on this host: it is not offered, and its calls are refused, until the host has the tool, the function or the fact.',
    fix: 'Register the tool, function or fact on the host, or correct its name.',
  },
  R1420: {
    title: 'A condition of a skill reads something that does not exist',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_EXPR'),
    means:
      'Conditions read ctx, env, work, policy, args, principal, exec and facts of the host; guards also read the results of earlier steps. args has only the slots of the signature.',
    often: 'a misspelt slot, a step that runs later',
    fix: 'Write the name of a slot or of an earlier step.',
  },
  R1421: {
    title: 'A step gives a command in a way that its tool cannot take',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_COMMAND_ARG E_SCRIPT_VALUE'),
    means:
      'A tool that runs commands has one argument for them: `argv` of command, a list of words or a line that is split into words; `command` of shell, a text that a shell reads. No value may become part of such a text. Without this check the step would fail only when it runs.',
    often: '"cmd" for the tool command, a placeholder in the text of the tool shell',
    fix: 'Write the argument that the message names. To use values in a shell, call command with "argv" and "shell": true, which passes them as arguments.',
  },
} satisfies Record<string, CatalogueEntry>)
