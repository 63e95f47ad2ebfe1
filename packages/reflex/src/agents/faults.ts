import { defineFaults } from '../kernel/index.ts'

const DURING = 'during a run'

/** Faults of agents that decide at workflow nodes (R2100 to R2149). */
export const faults = defineFaults({
  R2100: {
    title: 'The spec of a node has a mistake',
    verdict: 'wait',
    when: DURING,
    means:
      'The agent at the node reads its "spec" and found an unknown attribute or an invalid value. Reflex never ignores such an attribute silently. Nothing was done at the node.',
    often: 'a misspelt attribute, an attribute of another agent',
    fix: 'Correct the named attribute; `reflex validate` shows all such mistakes before a run.',
  },
  R2101: {
    title: 'No agent has this name',
    verdict: 'wait',
    when: DURING,
    means:
      'The name comes from the node, from the workflow, or from --agent, in this order. The agents are rules, tool, person and model, and those that the host registers.',
    often: 'a misspelling, a file of decisions that was not given',
    fix: 'Write the name of an existing agent.',
  },
  R2102: {
    title: 'No edge is open',
    verdict: 'wait',
    when: DURING,
    means: 'The node has edges, but their guards close all of them, so no decision is possible.',
    often: 'a board key that is written under another name, guards that do not cover a case',
    fix: 'Add an edge for this case, or correct the guards named.',
  },
  R2103: {
    title: 'No edge has this name',
    verdict: 'wait',
    when: DURING,
    means: 'The name of an edge is its id, its event, or its target node. The node has no edge with this name.',
    often: 'a misspelling, an edge of another node',
    fix: 'Write the name of an edge of the node.',
  },
  R2104: {
    title: 'The chosen edge is closed',
    verdict: 'wait',
    when: DURING,
    means: 'The edge exists, but its guard is false on the board before this decision.',
    often: 'a guard on a key that this node itself writes',
    fix: 'Choose an open edge, or change the guard.',
  },
  R2105: {
    title: 'Several edges have this name',
    verdict: 'wait',
    when: DURING,
    means: 'Two open edges have the same event or lead to the same node, and the name does not distinguish them.',
    fix: 'Name the edge by its id.',
  },
  R2106: {
    title: 'No rule chooses an edge',
    verdict: 'wait',
    when: DURING,
    means: 'More than one edge is open, and no rule of the node applies.',
    often: 'a node that a model or a person should decide, rules that leave a case out',
    fix: 'Add a last rule without "when", add an "ask", or let a person decide: --agent NODE=person.',
  },
  R2110: {
    title: 'A value is not on the board',
    verdict: 'wait',
    when: DURING,
    means: 'A template, an argument or an action reads a path that has no value. Reflex never replaces a missing value with empty text.',
    often: 'a misspelt key, a node that was expected to run before',
    fix: 'Correct the path; for a value that may be missing write {"from": "path", "else": value} or a section {{#path}}…{{/path}}.',
  },
  R2111: {
    title: 'A value has another shape than the action needs',
    verdict: 'wait',
    when: DURING,
    means: '"classify" needs a list, "extract" needs a text or a list of texts.',
    often: 'a path that ends one step too early or too late',
    fix: 'Write the path of the list or the text itself.',
  },
  R2112: {
    title: 'Matching takes too many steps',
    verdict: 'wait',
    when: DURING,
    means:
      'The time of a search is proportional to the size of the text and of the pattern. This action exceeded the fixed number of steps of an action, so matching stopped.',
    often: 'a text of megabytes, many large patterns, a pattern such as a.*b|a that reads to the end of the text for each of its matches',
    fix: 'Match less text in one action, or write shorter patterns.',
  },
  R2113: {
    title: 'An action exceeds a size limit',
    verdict: 'wait',
    when: DURING,
    means: 'The values that a node writes go onto the board and into the journal, so their size is limited.',
    fix: 'Use fewer items or shorter texts.',
  },
  R2114: {
    title: 'The answer names no open edge',
    verdict: 'wait',
    when: DURING,
    means: 'The question was answered, but no open edge belongs to the answer.',
    often: 'options without an edge at a node with several edges',
    fix: 'Give each option the "event" of an edge.',
  },
  R2120: {
    title: 'A script of decisions cannot be used',
    verdict: 'fail',
    when: 'before a run',
    means:
      'A script is one JSON object. Its keys are ids of nodes; each value is a decision, or a list of decisions in order. A decision is the name of an edge, or {"go", "writes", "because"}, {"suspend"} or {"complete": true}.',
    fix: 'Write {"decide": "FULL", "approve": [{"go": "YES", "writes": {"by": "ana"}}]}.',
  },
  R2121: {
    title: 'A script has no decision left',
    verdict: 'wait',
    when: DURING,
    means: 'The node has used all decisions of its list and needs another one.',
    fix: 'Add a decision for the node to the script.',
  },
  R2122: {
    title: 'A rule of a node never applies',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    means: 'The first rule whose conditions all hold is used. There is no board on which this rule is used.',
    often: 'two conditions that contradict each other, a rule without "when" that is not the last rule',
    fix: 'Correct its conditions, move it further up, or remove it.',
  },
  R2123: {
    title: 'Two options of a question have the same value',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    means: 'An answer names an option by its value and chooses the first option with that value. The other option can never be chosen.',
    fix: 'Give one of them another "value", or remove it.',
  },
  R2124: {
    title: 'The default answer of a question is never used',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    means: '"otherwise" is the answer that is used if no answer arrives before "due". Without "due" the question waits for ever.',
    fix: 'Write "due", such as "3d", or remove "otherwise".',
  },
})
