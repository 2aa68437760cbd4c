"""What a query of a rule may be made of: Spark's functions that only compute, and parts of a query that only read."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# functions that reach out of the data: into the JVM, files, secrets, the network
REACHING = _words(
    """
    reflect try_reflect java_method secret try_secret list_secrets read_files cloud_files read_kafka read_kinesis
    read_pubsub read_pulsar read_statestore remote_query http_request ai_query input_file_name input_file_block_start
    input_file_block_length from_protobuf to_protobuf python_worker_logs identifier
    """
)
# names without brackets that Spark answers with something about the session; a column of such a name is not readable
ABOUT_SESSION = _words(
    "current_user session_user current_catalog current_database current_schema current_role _metadata"
)
# functions that make rows; `range` and `stack` may be used as tables
ROWS = _words("explode explode_outer posexplode posexplode_outer inline inline_outer stack range")
# functions that search with a pattern, and the place of it among their arguments
SEARCHING = {
    **dict.fromkeys(("rlike", "regexp", "regexp_like", "regexp_count", "regexp_extract", "regexp_extract_all"), 1),
    **dict.fromkeys(("regexp_instr", "regexp_replace", "regexp_substr", "split", "str_to_map"), 1),
    **dict.fromkeys(("parse_url", "try_parse_url"), 2),
}
UNITS = _words(
    "year quarter month week day dayofyear hour minute second millisecond microsecond years quarters months weeks days "
    "hours minutes seconds milliseconds microseconds"
)
WITH_UNIT = _words("datediff date_diff dateadd date_add timestampdiff timestampadd")
FUNCTIONS = _words(
    """
    abs acos acosh add_months aggregate any any_value approx_count_distinct approx_percentile array array_agg
    array_append array_compact array_contains array_distinct array_except array_insert array_intersect array_join
    array_max array_min array_position array_prepend array_remove array_size array_sort array_union arrays_overlap
    arrays_zip ascii asin asinh atan atan2 atanh avg base64 bigint bin binary bit_and bit_count bit_get bit_length
    bit_or bit_xor bool_and bool_or boolean bround btrim cardinality cast cbrt ceil ceiling char char_length
    character_length chr coalesce collect_list collect_set concat concat_ws contains conv convert_timezone corr cos
    cosh cot count count_if covar_pop covar_samp crc32 csc cume_dist curdate current_date current_time
    current_timestamp date date_add date_diff date_format date_from_unix_date date_part date_sub date_trunc dateadd
    datediff datepart day dayname dayofmonth dayofweek dayofyear decimal decode degrees dense_rank double e element_at
    elt encode endswith equal_null every exists exp explode explode_outer expm1 extract factorial filter find_in_set
    first first_value flatten float floor forall format_number from_csv from_json from_unixtime from_utc_timestamp get
    get_json_object getbit greatest grouping grouping_id hash hex hour hypot if ifnull ilike initcap inline
    inline_outer instr int is_valid_utf8 is_variant_null isnan isnotnull isnull json_array_length json_object_keys
    kurtosis lag last last_day last_value lcase lead least left len length levenshtein like listagg ln localtimestamp
    locate log log10 log1p log2 lower lpad ltrim luhn_check make_date make_dt_interval make_interval make_timestamp
    make_timestamp_ltz make_timestamp_ntz make_ym_interval map map_concat map_contains_key map_entries map_filter
    map_from_arrays map_from_entries map_keys map_values map_zip_with mask max max_by md5 mean median min min_by
    minute mod mode month monthname months_between named_struct nanvl negative next_day now nth_value ntile nullif
    nullifzero nvl nvl2 octet_length overlay parse_json parse_url percent_rank percentile percentile_approx
    percentile_cont percentile_disc pi pmod posexplode posexplode_outer position positive pow power quarter radians
    range rank reduce regexp regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like regexp_replace
    regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy replace
    reverse right rint rlike round row_number rpad rtrim sec second sha sha1 sha2 shiftleft shiftright
    shiftrightunsigned sign signum sin sinh size skewness slice smallint some sort_array soundex split split_part sqrt
    stack startswith std stddev stddev_pop stddev_samp str_to_map string string_agg struct substr substring
    substring_index sum tan tanh timestamp timestamp_micros timestamp_millis timestamp_seconds timestampadd
    timestampdiff tinyint to_binary to_char to_date to_json to_number to_timestamp to_timestamp_ltz to_timestamp_ntz
    to_unix_timestamp to_utc_timestamp to_varchar transform transform_keys transform_values translate trim trunc
    try_add try_avg try_divide try_element_at try_mod try_multiply try_parse_json try_parse_url try_subtract try_sum
    try_to_binary try_to_date try_to_number try_to_timestamp try_url_decode try_variant_get typeof ucase unbase64
    unhex unix_date unix_micros unix_millis unix_seconds unix_timestamp upper url_decode url_encode var_pop var_samp
    variance variant_get weekday weekofyear width_bucket xxhash64 year zeroifnull zip_with
    """
)
# sqlglot's names of the parts of a query that only read
NODES = _words(
    """
    Add Alias Aliases All And Anonymous Any Array Between BitwiseAnd BitwiseLeftShift BitwiseNot BitwiseOr
    BitwiseRightShift BitwiseXor Boolean Bracket CTE Case Cast Ceil Column Concat Cube DPipe DataType DataTypeParam
    Distinct Div Dot EQ Escape Except Exists Extract Filter Floor From GT GTE Group GroupingSets Having Identifier If
    IgnoreNulls ILike ILikeAny In IntDiv Intersect Interval Is Join LT LTE Lambda Lateral Like LikeAny Limit Literal Mod
    Mul NEQ NamedWindow Neg Not Null NullSafeEQ NullSafeNEQ Offset Or Order Ordered Overlay Paren PropertyEQ RegexpILike
    RegexpLike RespectNulls Rollup Select Slice Star StrPosition Struct Sub Subquery Substring Table TableAlias Transform
    Trim TryCast Tuple Union Values Var Where Window WindowSpec With WithinGroup MaxBy MinBy ArgMax ArgMin Percentile
    ApproxQuantile Chr GroupConcat Initcap
    """
)
WRITES = _words(
    """
    Insert Update Delete Merge Create Drop Alter Command Set Use Into TruncateTable QueryTransform Cache Uncache Call
    Describe Show Execute Copy Refresh LoadData Analyze
    """
)
