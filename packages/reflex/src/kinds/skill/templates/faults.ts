import { type CatalogueEntry, defineFaults } from '../../../kernel/index.ts'

const BEFORE = 'before a run'
const DURING = 'during a run'

/** Returns the codes of the reference as a catalogue entry lists them. */
function named(rules: string): readonly string[] {
  return rules.split(' ').map((rule) => `skill ${rule}`)
}

/** The faults of templates: of their text (R1430 to R1436), and of values that cannot be inserted (R1437 to R1440). */
export const templateFaults = defineFaults({
  R1430: {
    title: 'A template cannot be read',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_TEMPLATE_SYNTAX E_TEMPLATE_FILTER'),
    means:
      'A template is text with placeholders: {{slot}}, {{work.path}}, {{steps.id.result.field}}, each with filters behind "|". There are no functions and no conditions. \\{{ stands for two braces.',
    often: 'a brace that is missing, a filter of another template language',
    fix: 'Correct the marked place; the filters are json, url, lower, upper, trim, basename and default("text").',
  },
  R1431: {
    title: 'A template refers to something that does not exist',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_TEMPLATE_REF'),
    means:
      'A name by itself is a slot of the signature. Everything else has its root: ctx, env, work, steps or exec. A step can read only the results of earlier steps.',
    often: 'a misspelt slot, a value of the blackboard without "work.", a step that runs later',
    fix: 'Declare the slot, or write the root before the name.',
  },
  R1432: {
    title: 'A command uses the syntax of a shell',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_SHELL_OPERATORS E_COMMAND'),
    means:
      'A command line is split into arguments when it is read, and no shell reads it. Pipes, redirections, patterns, variables and several commands need a shell, which the step and the policy must both allow.',
    often: 'a pipe into another command, a URL with "?" or "&" without quotes, a quote that is not closed',
    fix: 'Quote the character, split the command into steps, or allow it: "shell": true in the step and "allow_shell": true in the policy.',
  },
  R1433: {
    title: 'A value decides what a command does',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_DYNAMIC_COMMAND E_DYNAMIC_OPTION E_NESTED_SHELL'),
    means:
      'The program, the names of its options and the script of a nested interpreter are written in the manifest. A value can only be an argument, so that it cannot become code.',
    often: 'sh -c with a placeholder in the script, a placeholder as the first word',
    fix: 'Write the program and its options as plain text, and pass the value as an argument of its own.',
  },
  R1434: {
    title: 'A value can change the host of a URL',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_URL_AUTHORITY'),
    means:
      'A placeholder before the path of a URL can send the request, and the secrets in it, to another host. Only a slot whose values can contain no separator is allowed there.',
    often: 'a slot of the type string in "https://{{name}}.example.com"',
    fix: 'Give the slot the type hostname_label, hostname or integer, or a pattern such as "[a-z0-9-]+".',
  },
  R1435: {
    title: 'A slot in a command takes any text',
    verdict: 'fail',
    severity: 'warning',
    when: BEFORE,
    rules: named('W_UNTYPED_SLOT'),
    means: 'The value stays one argument, whatever it is, but nothing checks that it is what the command expects.',
    fix: 'Give the slot a type, an enum or a pattern.',
  },
  R1436: {
    title: 'A secret is used inside a text',
    verdict: 'fail',
    when: BEFORE,
    rules: named('E_SECRET_TEXT'),
    means:
      'A slot of the type secret_ref has the name of a secret. The tool gets its value, and nothing else does: no text, no key, no output. So the placeholder must be the whole argument.',
    often: 'a secret in a URL, in the idempotence key or in a result',
    fix: 'Give the secret an argument of its own, or let the tool read it.',
  },
  R1437: {
    title: 'A template has no value for a placeholder',
    verdict: 'fail',
    when: DURING,
    rules: named('template_unbound'),
    means: 'The blackboard, the step or the slot has no value at this place, so the step was not started.',
    often: 'a step before it did not capture the value, an optional slot without a default',
    fix: 'Add default("text") to the placeholder, or require the value in preconditions.data_present.',
  },
  R1438: {
    title: 'A value cannot be part of a text',
    verdict: 'fail',
    when: DURING,
    rules: named('E_TEMPLATE_TYPE'),
    means:
      'A text, a number, true or false can be part of a text. An object, a list and null cannot, because there is no one way to write them.',
    fix: 'Add "| json" to the placeholder, or refer to a field of the value.',
  },
  R1439: {
    title: 'A value would change the meaning of a command, a URL or a path',
    verdict: 'fail',
    when: DURING,
    rules: named('arg_option_injection arg_unencodable url_authority path_escape'),
    means:
      'The value is inserted as data. This one would be read as an option, as another host or as a folder outside, or it has a character that no argument can have, so the step was not started.',
    often: 'text of a model or a web page in a slot without a pattern',
    fix: 'Give the slot a narrower type or pattern; for a value that can begin with "-", write "--" before it, or --option={{slot}}.',
  },
  R1440: {
    title: 'A rendered argument is too large',
    verdict: 'fail',
    when: DURING,
    rules: named('arg_too_large'),
    means: 'An argument of a step has at most 32 KiB.',
    often: 'a whole document in a placeholder',
    fix: 'Write the value to a file, and pass its path.',
  },
} satisfies Record<string, CatalogueEntry>)
