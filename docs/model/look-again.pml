/*
 * Look again: one payout, two ledgers, one bank, and everything that may go
 * wrong between them. Property: the money of the payout goes out at most once
 * (executions that were not returned <= 1), whatever is done in whatever order,
 * but for what docs/safety.md lists under "What cannot be promised".
 *
 * README.md beside this file says what is modelled, what is left out, and what
 * each switch is for. look_again_test.go runs every switch and holds its result.
 *
 *   SECOND        what the second ledger is: NOBODY, INDEPENDENT, COPY, RESTORED
 *   NO_<rule>     one rule of docs/safety.md taken out: spin has to pay twice
 *   CANNOT_<what> something that cannot be promised let in: spin has to pay twice
 *   WRITTEN_<what> a rule in the narrower wording that it once had
 *
 * People are not modelled as careful: whatever a person may do by the rules, one
 * of them does at the worst moment. Two people agreeing is the same as one.
 */

#define NOBODY      0
#define INDEPENDENT 1   /* B loaded the same sheet into a ledger of its own       */
#define COPY        2   /* B is a stale copy of A, high-water mark and all; both go on */
#define RESTORED    3   /* B is an older copy of A that takes A's place; A is gone */

#ifndef SECOND
#define SECOND NOBODY
#endif

/* ------------------------------------------------------------------ ledgers */

/* At most three attempts a payout and ledger, each in a batch of its own. */
#define LAST 3

/* The states of a batch and of its payout in one byte ("Batch states"). What
 * leads to the same further steps is one state here. */
#define NONE        0
#define PLANNED     1
#define INIT_DOUBT  2   /* initiate_unknown: no answer at all, or an answered no       */
#define HELD        3
#define QUARANTINED 4
#define NEVER_SHOWN 5   /* refused, or abandoned in doubt and never shown: cancelled,
                           and rule N keeps its reference                              */
#define GIVEN_UP    6   /* abandoned after the bank held it or showed it: cancelled     */
#define SUB_DOUBT   7   /* submit_unknown                                               */
#define SUBMITTED   8   /* and settled with success                                     */
#define UNPAID      9   /* failed, or returned                                          */
#define SET_ASIDE  10
#define DISPUTED   11
#ifdef STORY
#define NEVER_SENT 12   /* abandoned before an intent: there are no new names for it    */
#else
#define NEVER_SENT NEVER_SHOWN  /* in the proofs there are, which is more than the rules allow */
#endif

byte state[6];          /* of attempt n of ledger l: state[AT(l, n)]                */
byte batch[6];          /* its batch id, see ID                                     */
byte latest[2];         /* number of the latest attempt; 0: nothing loaded          */
bool asleep = false;    /* RESTORED: the copy lies in a drawer                      */
byte accepted = 0;      /* --accept-restored was said: books before which submits   */
bool fresh[2];          /* WRITTEN_HELD: held for less than otp.window              */

#define AT(l, n)  ((l)*3 + (n) - 1)
#define S(l)      state[AT(l, latest[l])]
#define B(l)      batch[AT(l, latest[l])]

/* Ids are derived from the ledger, the attempt and the wire reference, so that a
 * copy derives the same: attempt n under reference r is ID(space, n, r), r <= n.
 * Space 0 is A's, and its copy's. Space 1 is that of an independent B; beside a
 * copy it holds batches of A with other members, whose ids no copy derives. */
#define ID(space, n, r)  ((space)*6 + ((n)*((n)-1))/2 + (r) - 1)
#define TRIANGLE(i)      ((i)%6)
#define NUMBER(i)        (TRIANGLE(i) == 0 -> 1 : (TRIANGLE(i) < 3 -> 2 : 3))
#define REF(i)           ((TRIANGLE(i) == 0 || TRIANGLE(i) == 1 || TRIANGLE(i) == 3) -> 1 : (TRIANGLE(i) == 5 -> 3 : 2))

#if SECOND == INDEPENDENT
#define SPACE(l)  (l)
#else
#define SPACE(l)  0
#endif

/* Has A batches that its copy cannot derive? A dead A may have: rule "mark" is
 * there for them. Two live ledgers that have cannot be promised anything. */
#if SECOND == RESTORED || defined(CANNOT_OTHER_MEMBERS)
#define OTHER_MEMBERS
#endif

#if SECOND == INDEPENDENT || defined(OTHER_MEMBERS)
#define IDS 12
#else
#define IDS 6
#endif

/* --------------------------------------------------------------------- bank */

#define ABSENT   0
#define WAITING  1   /* initiated, request_initiated                                */
#define PENDING  2   /* submitted, shown as pending, initiated or an unlisted value */
#define SUCCESS  3
#define NO_MONEY 4   /* shown as failed, or as returned                             */
#define LAGGING  5   /* carried out and in the books, the status still as before    */

byte at_bank[IDS];
bool known_ref[4];      /* references the bank has seen                             */
bool enforces;          /* does it refuse a reference it has seen?                  */
byte paid = 0;          /* executions that were not returned                        */
byte live = 0;          /* batches PENDING, SUCCESS or LAGGING                      */
byte lagging = 0;
bool init_under_way[IDS]; /* an initiate whose answer was lost; it may land, ever   */
byte sub_under_way[IDS];  /* submits whose answer was lost; they may land           */
byte subs_under_way = 0;

/* Everything else that a bank may or may not do is chosen anew at each call, which
 * is worse than any one bank: a batch that waits is listed or not ("What can be
 * relied on" 2); a repeated batch id is refused or answered with the batch as it
 * stands; a refusal is a 400 or an answered no; a repeated submit is refused or
 * executed again. */

#define LIVE(s)  ((s) == PENDING || (s) == SUCCESS || (s) == LAGGING)

inline becomes(i, s) {
	live = live - LIVE(at_bank[i]) + LIVE(s);
	lagging = lagging - (at_bank[i] == LAGGING) + (s == LAGGING);
	at_bank[i] = s
}

/* The bank takes an initiate. */
#define TAKES(i)  (at_bank[i] == ABSENT && !(enforces && known_ref[REF(i)]))
inline takes(i) {
	becomes(i, WAITING);
	known_ref[REF(i)] = true;
	no_more(0); no_more(1); no_more(2); no_more(3); no_more(4); no_more(5);
#if IDS == 12
	no_more(6); no_more(7); no_more(8); no_more(9); no_more(10); no_more(11);
#endif
}
/* An initiate that can no longer land need not be remembered: fewer states. */
inline no_more(j) {
	init_under_way[j] = init_under_way[j] && TAKES(j)
}

inline pay() {
	paid++;
	if
	:: paid > 1 -> printf("bank: the payout is paid twice\n")
	:: else
	fi;
	assert(paid <= 1)
}

/* What has to be possible all the same: with REACH_<what> spin has to find it. */
#if defined(REACH_THIRD_ATTEMPT)
#define REACHED  (paid == 1 && latest[0] == 3 && state[2] == SUBMITTED && at_bank[batch[2]] == SUCCESS)
#elif defined(REACH_AFTER_SET_ASIDE)
#define REACHED  (paid == 1 && state[0] == SET_ASIDE && latest[0] == 2 && at_bank[batch[1]] == SUCCESS)
#elif defined(REACH_NEW_REFERENCES)
#define REACHED  (paid == 1 && state[0] == NEVER_SHOWN && latest[0] == 2 && batch[1] == ID(0,2,2) && at_bank[batch[1]] == SUCCESS)
#elif defined(REACH_RESTORED)
#define REACHED  (paid == 1 && accepted != 0 && latest[1] == 2 && state[4] == SUBMITTED && at_bank[batch[4]] == SUCCESS)
#else
#define REACHED  false
#endif

/* For stories about something else: a status that never lags, a portal that stays
 * shut (SHUT_PORTAL), a bank that lets nothing through twice and enforces
 * references (GOOD_BANK), at which nothing fails but by coming back (NEVER_FAILS),
 * a line on which no answer is lost (ANSWERED). */
#ifdef PROMPT_STATUS
#define MAY_LAG(i)  false
#elif defined(STORY)
#define MAY_LAG(i)  (NUMBER(i) == 1)
#else
#define MAY_LAG(i)  true
#endif
#ifdef ANSWERED
#define MAY_BE_LOST  false
#else
#define MAY_BE_LOST  true
#endif
#ifdef GOOD_BANK
#define MAY_REPEAT  false
#else
#define MAY_REPEAT  true
#endif
#ifdef TAKEN_AT_FIRST /* B is a copy from the first batch's time */
#define MAY_BE_TAKEN  (latest[0] == 1)
#else
#define MAY_BE_TAKEN  true
#endif
#ifdef NEVER_FAILS
#define MAY_FAIL  false
#else
#define MAY_FAIL  true
#endif

/* A read of batch i. Rule S, what is shown counts: anything beyond
 * request_initiated, listed value or not, complete read or broken off. */
#ifdef NO_S
#define BEYOND(i)  (at_bank[i] >= SUCCESS && at_bank[i] <= NO_MONEY)   /* an unlisted value is nothing */
#define BROKEN_OFF(i) (at_bank[i] != ABSENT)                            /* and so is a broken-off read */
#else
#define BEYOND(i)  (at_bank[i] >= PENDING && at_bank[i] <= NO_MONEY)
#define BROKEN_OFF(i) false
#endif
/* It may be listed while it waits, and may be not known. */
#define MAY_SHOW(i)  (at_bank[i] != ABSENT)

/* The statement of rule 3: no debit of this payout without its credit. */
#ifdef CANNOT_SHOW_IN_TIME
#define BOOKS_CLEAN  (paid - lagging == 0)
#else
#define BOOKS_CLEAN  (paid == 0)
#endif

/* ------------------------------------------------------- what is assumed */

/* No submit is between its last look and its landing while another takes its last
 * look, and none is carried out and not shown, unless the books are read too. */
#if defined(CANNOT_RACE)
#define QUIET(l)  (!WAS_SET_ASIDE(l) && lagging == 0)
#elif defined(CANNOT_LAND_IN_TIME)
#define QUIET(l)  (lagging == 0 || NEEDS_BOOKS(l))
#elif defined(CANNOT_SHOW_IN_TIME) || defined(CANNOT_REFUSED_AND_DONE)
#define QUIET(l)  (subs_under_way == 0)
#else
#define QUIET(l)  (subs_under_way == 0 && (lagging == 0 || NEEDS_BOOKS(l)))
#endif

/* Nothing else of the payout has been sent or has paid: the person at the portal
 * looks, and a bank corrects itself before the last look of what comes after. */
#define ALONE  (live == 0 && subs_under_way == 0)

#ifdef CANNOT_CORRECTED
#define MAY_CORRECT  true
#else
#define MAY_CORRECT  ALONE
#endif
#if defined(CANNOT_PORTAL_AFTER_LOOK)
#define MAY_PORTAL(i)  (ALONE || (live == 0 && UNDER_WAY(i)))
#elif defined(CANNOT_PORTAL_GIVEN_UP)
#define GIVEN_UP_AT(i, k)  (state[k] == GIVEN_UP && batch[k] == (i))
#define MAY_PORTAL(i)  (GIVEN_UP_AT(i,0) || GIVEN_UP_AT(i,1) || GIVEN_UP_AT(i,2))
#elif defined(SHUT_PORTAL)
#define MAY_PORTAL(i)  false
#else
#define MAY_PORTAL(i)  ALONE
#endif
#define UNDER_WAY(i)  (sub_under_way[i] > 0)

/* New references while another ledger, that is no copy, may still submit the old. */
#if SECOND == INDEPENDENT && !defined(CANNOT_NEW_REFERENCES)
#define MAY_NAME_ANEW(l)  (S(1-(l)) == SUBMITTED && at_bank[B(1-(l))] == SUCCESS)
#else
#define MAY_NAME_ANEW(l)  true
#endif
#ifdef NO_NEW_REFERENCES /* for stories */
#undef MAY_NAME_ANEW
#define MAY_NAME_ANEW(l)  false
#endif

/* ------------------------------------------------------------- the last look */

/* L1, its own batch: not known, or request_initiated. */
#ifdef NO_L1
#define L1(l)  true
#else
#define L1(l)  (!BEYOND(B(l)))
#endif

/* L2, one earlier attempt. What the ledger itself knows (disputed, paid) holds
 * without a look. */
#ifdef NO_L2
#define LOOKED(cond)  true
#else
#define LOOKED(cond)  (cond)
#endif
#define CANCELLED(s)  ((s) == NEVER_SHOWN || (s) == NEVER_SENT || (s) == GIVEN_UP || (s) == SET_ASIDE)
#define L2_OF(k) ( \
	(state[k] == UNPAID && LOOKED(at_bank[batch[k]] == NO_MONEY)) || \
	(CANCELLED(state[k]) && LOOKED(!BEYOND(batch[k]))))
#define L2(l)  ((latest[l] < 2 || L2_OF(AT(l,1))) && (latest[l] < 3 || L2_OF(AT(l,2))))

/* L3, what a copy of this ledger would have derived. Own ids are left to L1 and
 * L2. A batch that only waits may be not known, so only what is beyond is sure
 * to be seen. */
#if defined(NO_L3) || defined(CANNOT_WITHIN_WINDOW) || SECOND == NOBODY || SECOND == INDEPENDENT
#define L3(l)  true
#elif defined(WRITTEN_FOUR)
/* the next two attempts, with the same and with the next references: four ids */
#define NOT_THERE(i)  (!BEYOND(i))
#define R(l)  REF(B(l))
#define L3(l)  ( \
	(latest[l] != 1 || (NOT_THERE(ID(0,2,1)) && NOT_THERE(ID(0,2,2)) && NOT_THERE(ID(0,3,1)) && NOT_THERE(ID(0,3,3)))) && \
	(latest[l] != 2 || (NOT_THERE(ID(0,3,R(l))) && NOT_THERE(ID(0,3,3)))))
#elif defined(WRITTEN_LATER)
/* later attempts only, with every reference */
#define NOT_THERE(i)  (!BEYOND(i))
#define THIRD  (NOT_THERE(ID(0,3,1)) && NOT_THERE(ID(0,3,2)) && NOT_THERE(ID(0,3,3)))
#define L3(l)  (latest[l] == 3 || (THIRD && (latest[l] == 2 || (NOT_THERE(ID(0,2,1)) && NOT_THERE(ID(0,2,2))))))
#elif defined(CANNOT_REACH)
/* one attempt ahead: any look reaches only so far */
#define NOT_THERE(i)  (!BEYOND(i))
#define L3(l)  (latest[l] != 1 || (NOT_THERE(ID(0,2,1)) && NOT_THERE(ID(0,2,2))))
#else
#define OWN(l, i)  (batch[AT(l,1)] == (i) || (latest[l] >= 2 && batch[AT(l,2)] == (i)) || (latest[l] >= 3 && batch[AT(l,3)] == (i)))
#ifdef WRITTEN_NOT_EARLIER /* its own and later attempts only */
#define NOT_THERE(l, i)  (OWN(l, i) || NUMBER(i) < latest[l] || !BEYOND(i))
#else
#define NOT_THERE(l, i)  (OWN(l, i) || !BEYOND(i))
#endif
#define L3_ALL(l)  (NOT_THERE(l,0) && NOT_THERE(l,1) && NOT_THERE(l,2) && NOT_THERE(l,3) && NOT_THERE(l,4) && NOT_THERE(l,5))
#ifdef WRITTEN_HELD
#define L3(l)  (fresh[l] || L3_ALL(l))
#else
#define L3(l)  L3_ALL(l)
#endif
#endif

/* Books before this submit: "Setting aside" 7, and after --accept-restored. */
#ifdef NO_RULE3
#define BOOKS  true
#else
#define BOOKS  BOOKS_CLEAN
#endif
#define WAS_SET_ASIDE(l)  (state[AT(l,1)] == SET_ASIDE || (latest[l] == 3 && state[AT(l,2)] == SET_ASIDE))
#ifdef WRITTEN_PLANNED_OR_HELD
#define RESTORED_BATCH(l)  ((l) == 1 && accepted == latest[l])
#else
#define RESTORED_BATCH(l)  ((l) == 1 && accepted != 0)
#endif
#define NEEDS_BOOKS(l)  (WAS_SET_ASIDE(l) || RESTORED_BATCH(l))

/* The books after --accept-restored are read so long after it that they hold what
 * the ledger that is gone submitted last. */
#if SECOND == RESTORED && !defined(WRITTEN_BOOKS_AT_ONCE)
#define STILL(i)  (at_bank[i] == PENDING)
#define BOOKED(l)  (!RESTORED_BATCH(l) || !(STILL(6) || STILL(7) || STILL(8) || STILL(9) || STILL(10) || STILL(11)))
#else
#define BOOKED(l)  true
#endif

#ifdef NO_RULE7
#define BOOKS_AGAIN(l)  true
#else
#define BOOKS_AGAIN(l)  (!NEEDS_BOOKS(l) || BOOKS)
#endif

#define LAST_LOOK(l)  (L1(l) && L2(l) && L3(l) && BOOKS_AGAIN(l) && BOOKED(l) && QUIET(l))

/* ------------------------------------------------------------------- the words */

#define NAME(l)  (65 + (l))
#define SAY(l, words)  printf("%c: batch %d, reference R%d: ", NAME(l), latest[l], REF(B(l))); printf(words); printf("\n")
#define TELL(i, words)  printf("bank: batch %d, reference R%d: ", NUMBER(i), REF(i)); printf(words); printf("\n")

/* ------------------------------------------------------------- what a ledger does */

/* The state of the latest attempt of a ledger in use. */
#define IN_USE(l)  (latest[l] > 0 && !((l) == 1 && asleep))
#define T(l)  (IN_USE(l) -> S(l) : NONE)

inline held(l) {
	S(l) = HELD;
#ifdef WRITTEN_HELD
	fresh[l] = true
#endif
}

inline plan(l, space, r) {
	batch[AT(l, latest[l]+1)] = ID(space, latest[l]+1, r); /* r may speak of the attempt before */
	latest[l]++;
	S(l) = PLANNED;
#ifdef WRITTEN_HELD
	/* Assumed: whoever planned anew did so when the other's batch had been held
	 * for longer than otp.window. */
	fresh[l] = false;
	fresh[1-l] = false
#endif
}

/* The payout is planned anew, under the reference r. */
inline plan_anew(l, r) {
	if
	:: d_step { plan(l, SPACE(l), r); SAY(l, "planned anew") }
#ifdef OTHER_MEMBERS
	:: l == 0 -> d_step { plan(l, 1, r); SAY(l, "planned anew, in a batch with other payouts") }
#endif
	fi
}

#define MAY_RETRY(l)  (latest[l] < LAST && state[AT(l,1)] != DISPUTED && (latest[l] < 2 || state[AT(l,2)] != DISPUTED))

inline ledger(l) {
	if
	/* ---- planned, and before an initiate */
	:: T(l) == PLANNED -> d_step { S(l) = NEVER_SENT; SAY(l, "a person abandons it before it was sent") }
#ifndef NO_LOOK_BEFORE_INITIATE
	:: T(l) == PLANNED && MAY_SHOW(B(l)) -> d_step { S(l) = QUARANTINED; SAY(l, "the look before the initiate shows it at the bank; quarantined") }
	:: T(l) == PLANNED && !BEYOND(B(l)) ->
#else
	:: T(l) == PLANNED ->
#endif
		/* initiate is sent once */
		if
		:: MAY_BE_LOST -> d_step { init_under_way[B(l)] = TAKES(B(l)); S(l) = INIT_DOUBT; SAY(l, "initiate sent, no answer") }
		:: TAKES(B(l)) -> d_step { takes(B(l)); held(l); SAY(l, "initiated; held") }
		:: at_bank[B(l)] == ABSENT && enforces && known_ref[REF(B(l))] ->
			if
			:: d_step { S(l) = NEVER_SHOWN; SAY(l, "initiate refused (400): the bank knows the reference") }
			:: d_step { S(l) = INIT_DOUBT; SAY(l, "initiate answered with a no that is no 400: the bank knows the reference") }
			fi
		/* a repeated batch id */
		:: at_bank[B(l)] != ABSENT -> d_step { S(l) = QUARANTINED; SAY(l, "initiate refused (400), and the status shows the batch; quarantined") }
		:: at_bank[B(l)] != ABSENT -> d_step { S(l) = NEVER_SHOWN; SAY(l, "initiate refused (400): the bank knows the batch id, the status does not show it") }
		:: at_bank[B(l)] != ABSENT -> d_step { S(l) = INIT_DOUBT; SAY(l, "initiate answered with a no that is no 400: the bank knows the batch id") }
		:: at_bank[B(l)] != ABSENT && !BEYOND(B(l)) -> d_step { held(l); SAY(l, "initiate answered with the batch as it stands at the bank, waiting; held") }
		:: at_bank[B(l)] != ABSENT && BEYOND(B(l)) -> d_step { S(l) = QUARANTINED; SAY(l, "initiate answered with the batch as it stands at the bank, moving; quarantined") }
		fi

	/* ---- initiate in doubt */
	:: T(l) == INIT_DOUBT && MAY_SHOW(B(l)) && !BEYOND(B(l)) ->
		d_step { held(l); SAY(l, "the status shows it waiting, as planned; held") }
	:: T(l) == INIT_DOUBT && BEYOND(B(l)) ->
		d_step { S(l) = QUARANTINED; SAY(l, "the status shows it moving; quarantined") }
	:: T(l) == INIT_DOUBT && (!BEYOND(B(l)) || BROKEN_OFF(B(l))) ->
		d_step { S(l) = NEVER_SHOWN; SAY(l, "not shown until doubt.quiet; abandoned, or refused if the bank said no") }

	/* ---- held */
	:: T(l) == HELD && BEYOND(B(l)) -> d_step { S(l) = SUBMITTED; SAY(l, "seen moving; submitted") }
	:: T(l) == HELD && (!BEYOND(B(l)) || BROKEN_OFF(B(l))) -> d_step { S(l) = GIVEN_UP; SAY(l, "a person abandons the held batch") }
	:: T(l) == HELD && LAST_LOOK(l) ->
		if
		:: MAY_BE_LOST -> d_step { sub_under_way[B(l)]++; subs_under_way++; S(l) = SUB_DOUBT; SAY(l, "looked; submit sent, no answer") }
		:: at_bank[B(l)] == WAITING -> d_step { becomes(B(l), PENDING); S(l) = SUBMITTED; SAY(l, "looked; submitted, the bank says pending") }
		:: at_bank[B(l)] > WAITING && MAY_REPEAT ->
			d_step { S(l) = SUBMITTED; SAY(l, "looked; submitted, though the bank has it already: executed again"); again(B(l)) }
#ifdef CANNOT_REFUSED_AND_DONE
		:: at_bank[B(l)] == WAITING && latest[l] == 1 -> d_step { becomes(B(l), LAGGING); SAY(l, "looked; submit answered 400, held again; it was carried out all the same"); pay() }
#endif
		fi

	/* ---- quarantined */
	:: T(l) == QUARANTINED && BEYOND(B(l)) -> d_step { S(l) = SUBMITTED; SAY(l, "quarantined, seen moving; submitted") }
	:: T(l) == QUARANTINED && (!BEYOND(B(l)) || BROKEN_OFF(B(l))) -> d_step { S(l) = GIVEN_UP; SAY(l, "a person abandons the quarantined batch") }

	/* ---- submit in doubt, and setting aside */
	:: T(l) == SUB_DOUBT && BEYOND(B(l)) -> d_step { S(l) = SUBMITTED; SAY(l, "seen moving; submitted") }
	:: T(l) == SUB_DOUBT && (!BEYOND(B(l)) || BROKEN_OFF(B(l))) && BOOKS ->
		d_step { S(l) = SET_ASIDE; SAY(l, "nothing shown, no debit in the books; two people set it aside") }

	/* ---- submitted */
	:: T(l) == SUBMITTED && at_bank[B(l)] == NO_MONEY -> d_step { S(l) = UNPAID; SAY(l, "the status says so") }

	/* ---- a further attempt */
	:: MAY_RETRY(l) && (T(l) == UNPAID || T(l) == GIVEN_UP || T(l) == SET_ASIDE) -> plan_anew(l, latest[l]+1)
	/* rule N: the same reference; new names only with the books */
	:: MAY_RETRY(l) && (T(l) == NEVER_SHOWN || T(l) == NEVER_SENT) -> plan_anew(l, REF(B(l)))
#ifndef NO_N
	:: MAY_RETRY(l) && T(l) == NEVER_SHOWN && BOOKS && MAY_NAME_ANEW(l) ->
		SAY(l, "no debit in the books; a person gives new references");
		plan_anew(l, latest[l]+1)
#else
	:: MAY_RETRY(l) && T(l) == NEVER_SHOWN -> plan_anew(l, latest[l]+1)
#endif
	fi
}

/* A submit of what the bank has already, executed again. */
inline again(i) {
	if
	:: at_bank[i] == NO_MONEY -> becomes(i, SUCCESS)
	:: else
	fi;
	pay()
}

/* Rule W, watch, of attempt k, and the way out of a dispute: what equals what two
 * people saw, with the books ("Setting aside", last paragraph). */
inline watch(l, n) {
	if
#ifndef NO_WATCH
	:: IN_USE(l) && latest[l] >= n && CANCELLED(state[AT(l,n)]) && BEYOND(batch[AT(l,n)]) -> state[AT(l,n)] = DISPUTED
	:: IN_USE(l) && latest[l] >= n && state[AT(l,n)] == UNPAID && BEYOND(batch[AT(l,n)]) && at_bank[batch[AT(l,n)]] != NO_MONEY -> state[AT(l,n)] = DISPUTED
#endif
	:: IN_USE(l) && latest[l] >= n && state[AT(l,n)] == DISPUTED && at_bank[batch[AT(l,n)]] == NO_MONEY && BOOKS -> state[AT(l,n)] = UNPAID
	fi
}

/* ---------------------------------------------------- what is still under way */

inline lands(i) {
	if
	:: init_under_way[i] && TAKES(i) -> d_step { TELL(i, "the initiate arrives late"); takes(i) }
	:: sub_under_way[i] > 0 && at_bank[i] == WAITING ->
		d_step { arrives(i); becomes(i, PENDING); TELL(i, "the submit arrives; pending") }
	:: sub_under_way[i] > 0 && at_bank[i] == WAITING && MAY_LAG(i) ->
		d_step { arrives(i); becomes(i, LAGGING); TELL(i, "the submit arrives and is carried out, the status does not show it yet"); pay() }
	:: sub_under_way[i] > 0 && at_bank[i] > WAITING && MAY_REPEAT ->
		d_step { arrives(i); TELL(i, "the submit arrives though it was submitted already: executed again"); again(i) }
	:: sub_under_way[i] > 0 -> d_step { arrives(i); TELL(i, "the submit never arrives, or is refused") }
	fi
}

inline arrives(i) {
	sub_under_way[i]--;
	subs_under_way--
}

/* ------------------------------------------------------------- the bank itself */

inline bank(i) {
	if
	:: at_bank[i] == PENDING -> d_step { becomes(i, SUCCESS); TELL(i, "paid"); pay() }
	:: at_bank[i] == PENDING && MAY_FAIL -> d_step { becomes(i, NO_MONEY); TELL(i, "failed") }
	:: at_bank[i] == SUCCESS -> d_step { becomes(i, NO_MONEY); TELL(i, "returned"); paid-- }
	:: at_bank[i] == LAGGING -> d_step { becomes(i, SUCCESS); TELL(i, "the status says success at last") }
	:: at_bank[i] == NO_MONEY && MAY_CORRECT -> d_step { becomes(i, SUCCESS); TELL(i, "paid after all"); pay() }
	:: at_bank[i] == WAITING && MAY_PORTAL(i) -> d_step { becomes(i, PENDING); TELL(i, "somebody submits it at the portal; pending, or some unlisted value") }
	fi
}

/* --------------------------------------------------------------- the second ledger */

inline copy() {
	state[3] = state[0]; state[4] = state[1]; state[5] = state[2];
	batch[3] = batch[0]; batch[4] = batch[1]; batch[5] = batch[2];
	latest[1] = latest[0];
	fresh[1] = fresh[0]
}

/* --accept-restored: what was planned or held in the older copy, and whatever
 * follows it, needs the books before its submit. Without the mark nobody asks. */
#ifdef WRITTEN_WITH_INTENT
#define WITHOUT(k)  (state[k] == NONE || state[k] == PLANNED || state[k] == NEVER_SENT)
#define NOTICED  (!(WITHOUT(3) && WITHOUT(4) && WITHOUT(5)))
#else
#define NOTICED  true
#endif
inline restore() {
	asleep = false;
	state[0] = NONE; state[1] = NONE; state[2] = NONE;
	batch[0] = 0; batch[1] = 0; batch[2] = 0;
	latest[0] = 0;
#ifdef NO_MARK
	printf("B: the older copy takes the place of A; nothing says that it is older\n")
#else
	if
	:: NOTICED -> accepted = (S(1) == PLANNED || S(1) == HELD -> latest[1] : 9);
		printf("B: the older copy takes the place of A; a person says --accept-restored\n")
	:: else -> printf("B: the older copy takes the place of A; it has no mark and no intent, and nobody asks\n")
	fi
#endif
}

/* Which of two live copies is called A makes no difference: with SYMMETRY each
 * pair of states is searched once. Not for stories, where the names would change. */
#ifdef SYMMETRY
byte spare;
#define ORDER(l)  (((((latest[l]*16 + state[AT(l,1)])*16 + state[AT(l,2)])*16 + state[AT(l,3)])*6 + batch[AT(l,2)])*6 + batch[AT(l,3)])
inline swap_one(x, y) {
	spare = x; x = y; y = spare
}
#endif
inline swap() {
#ifdef SYMMETRY
	d_step {
		if
		:: latest[1] > 0 && ORDER(0) < ORDER(1) -> swap_one(latest[0], latest[1]);
			swap_one(state[0], state[3]); swap_one(state[1], state[4]); swap_one(state[2], state[5]);
			swap_one(batch[0], batch[3]); swap_one(batch[1], batch[4]); swap_one(batch[2], batch[5])
		:: else
		fi;
		spare = 0
	}
#else
	skip
#endif
}
active proctype world() {
#if (SECOND == INDEPENDENT && !defined(CANNOT_INDEPENDENT_UNENFORCED)) || defined(GOOD_BANK)
	enforces = true;
#else
	if :: enforces = true :: enforces = false fi;
#endif
	atomic {
		latest[0] = 1; state[0] = PLANNED; batch[0] = ID(0,1,1);
#if SECOND == INDEPENDENT
		latest[1] = 1; state[3] = PLANNED; batch[3] = ID(1,1,1);
		printf("A and B: the sheet is loaded; batch 1, reference R1, planned in each\n")
#else
		printf("A: the sheet is loaded; batch 1, reference R1, planned\n")
#endif
	}
end:	do
	:: atomic {
		if
		:: ledger(0)
		:: watch(0, 1)
		:: watch(0, 2)
		:: watch(0, 3)
#if SECOND != NOBODY
		:: ledger(1)
		:: watch(1, 1)
		:: watch(1, 2)
		:: watch(1, 3)
#endif
		:: bank(0) :: lands(0) :: bank(1) :: lands(1) :: bank(2) :: lands(2)
		:: bank(3) :: lands(3) :: bank(4) :: lands(4) :: bank(5) :: lands(5)
#if IDS == 12
		:: bank(6) :: lands(6) :: bank(7) :: lands(7) :: bank(8) :: lands(8)
		:: bank(9) :: lands(9) :: bank(10) :: lands(10) :: bank(11) :: lands(11)
#endif
#if SECOND == COPY
		:: latest[1] == 0 && MAY_BE_TAKEN -> d_step { copy(); printf("B: a copy of A's ledger, with its mark, is taken into use\n") }
#elif SECOND == RESTORED
		:: latest[1] == 0 && latest[0] < LAST -> d_step { copy(); asleep = true; printf("A: its ledger is copied away\n") }
		:: asleep -> d_step { restore() }
#endif
		fi;
		assert(!REACHED);
		swap()
	}
	od
}
